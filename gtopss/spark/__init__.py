"""The same subscriptions over an archive or a stream, on Spark: the engine of one process, in many of them."""
