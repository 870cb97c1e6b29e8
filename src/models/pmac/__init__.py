"""The PMaC idiom model: the time of an idiom on a device, the best device of each block, and the whole application.

Meswani, Carrington, Unat, Snavely, Baden, Poole, "Modeling and Predicting Performance of High Performance Computing
Applications on Hardware Accelerators". One module each:

    curves       bandwidth of an idiom on a device over the data footprint (equation 2, figure 4)
    blocks       memory time of basic blocks, and the best device of each (equation 1, Tables VI to IX)
    predicting   the time of one block on one device as a `Prediction`, with the source of every number
    projection   what that does to the whole application (Table V, §VII.B)

The paper's own measurements and predictions are `data/pmac.toml`. Not modelled, as in the paper: computation that
takes longer than its memory accesses, host and accelerator working at once, communication between processes.
"""
