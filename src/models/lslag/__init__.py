"""LSLAG and LSLA: linear models of architecture, fitted to profiled samples.

Payvar, Rubattu, Boutellier, Morvan, Pelcat, "Extending Architecture Modeling for Signal Processing towards GPUs", 2019.

    architecture    processing elements and communication nodes, each with a linear cost (equations 1 to 5)
    samples         profiled times from a CSV file
    fitting         alpha, beta >= 0 by least squares, and how well they tell slow from fast
    fidelity        Kendall's tau-b, and how much of it a model without gamma can reach
    protocol        samples as the paper takes them, of an architecture that is known: the check of the fit

The paper calls beta a "constant offset"; its equations multiply it by S, and so do we. It says that communication
dominates its application B2; Table II says the kernel does (t_k = .0496 S, t_c = .0075 S at gamma = 8).
"""
