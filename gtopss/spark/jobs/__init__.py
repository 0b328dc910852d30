"""Jobs: what `gtopss pipeline` runs. `bulk.py` matches sources once, `stream.py` follows a spool in batches.

`report_data.py` counts the results of either, and `report.py` draws them as an HTML page.
"""
