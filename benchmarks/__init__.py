"""Generated catalogs, the benchmark runner and the comparison with other ways to the answer."""
