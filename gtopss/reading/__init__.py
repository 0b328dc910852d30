"""Any document as publications: detection, isolation and sources."""
