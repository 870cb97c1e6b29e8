"""This machine's own figures: measured with a small C program, written as a device file that the catalogue can read.

    machine      what the operating system says: cores, caches, memory
    measuring    `benchmark.c`, built with the user's C compiler and run
    profile      both as a device file, every figure with its range, unit and source

*Does not handle*: GPUs and networks; machines that are neither x86-64 nor 64-bit Arm, or not Linux. A busy machine
gives wide ranges and low rates, which is said.
"""
