"""Communication of MPI programs: what each process sends, as formulas in sizes, the number of processes and its rank.

    signatures   what the arguments of each MPI function are for
    rules        what each call sends; trees: how many messages that is for each process
    traffic      the calls of a nest, summed up; handles: the sizes of datatypes
    processes    numbers for each process, once sizes are known

The definitions are in docs/mpi.md.
"""
