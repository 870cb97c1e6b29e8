"""What is known of a loop, a function and a file, without any device."""
