"""What has a page of its own on this machine: the viewer of runs, and studies with people."""
