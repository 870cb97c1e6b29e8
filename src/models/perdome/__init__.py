"""PerDome: bounds of a kernel's performance on a CPU and a GPU together, for every way to share the work.

Tang, Hu, Barrett, "PerDome: A Performance Model for Heterogeneous Computing Systems". A kernel makes N_f flops and
moves N_b bytes, I = N_f / N_b; a workload partition gives the CPU the share x of the flops and y of the bytes:

    P = N_f / T = 1 / max(x t_fC, y t_bC / I, (1 - x) t_fG, (1 - y) t_bG / I)                         (4, 5, 11)

    CPU-only, GPU-only    x = y = 1 or 0: P = 1 / max(t_f, t_b / I)                                    (3)
    data partitioning     x = y, at best P_CPU / (P_CPU + P_GPU): P = P_CPU + P_GPU                    (p-DP, 20)
    code partitioning     y = (I - I_G) / (I_C - I_G), x = y I_C / I                                   (15-19)
      dependent           two stages of a software pipeline over D data sets, T = max(T_C, T_G) + min(T_C, T_G) / D

In equation 20 the paper's term for the GPU's bytes lacks parentheses: it is (1 - N_fC/N_f) / I. Lemma 1 ends "or
I_G = 0 (resp. I_C = 0)" and lemma 2 "(resp. I_C < I)"; they say which partitions exist, and others are refused. The
times of the dependent pipeline and of D whole data sets are ours: the paper has them in words and bounds many sets.

The best of all partitions is in closed form, too (ours): x and y are free, so each pair of terms is balanced on its
own, and what remains is the roofline of the sums, P = min(1/t_fC + 1/t_fG, I (1/t_bC + 1/t_bG)).

Numbers or numpy arrays (of intensities), in SI: seconds per flop, seconds per byte, flops per byte, flops per second.
Not modelled: transfers between the processors, synchronisation, more than two stages, more than two processors.
"""

from .bounds import Bound, Processor, bounds
from .partition import (
    PartitionError,
    Times,
    best,
    best_intensities,
    code_partition,
    data_partition,
    data_share,
    partition_exists,
    performance,
    require_partition,
    shares,
    single,
)
from .pieces import Division, Piece, divide, intensity
from .processors import device_processor, printed_processor

__all__ = [
    "Bound",
    "Division",
    "PartitionError",
    "Piece",
    "Processor",
    "Times",
    "best",
    "best_intensities",
    "bounds",
    "code_partition",
    "data_partition",
    "data_share",
    "device_processor",
    "divide",
    "intensity",
    "partition_exists",
    "performance",
    "printed_processor",
    "require_partition",
    "shares",
    "single",
]
