"""Write the golden reports anew."""

import os

from snapdiff.cli.commands import main
from tests.golden import FOLDER, REPORTS, ROOT, SNAPSHOTS

os.chdir(ROOT)
for name, options in REPORTS.items():
    main([*SNAPSHOTS, *options, "-o", str(FOLDER / name)])
