"""Fuzzing: every door of the product is knocked at with damaged input (`python -m tests.fuzz`).

What every door promises: a result or a SnapdiffError, never another exception, within seconds.
"""
