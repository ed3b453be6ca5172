"""What tests are made with: catalogs, repositories, processes, oracles."""
