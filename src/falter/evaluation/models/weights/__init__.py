"""What models with local weights share: devices, checkpoints, batches, threads."""
