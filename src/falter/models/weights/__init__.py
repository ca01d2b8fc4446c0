"""What models of weights share: devices, checkpoints, batches, threads."""
