/* Seconds of one call of an algorithm: the least of many short batches, since other programs can only make one longer, and
   only a short one has a chance to run undisturbed. A batch has so many calls that none is shorter than SHORTEST seconds
   (a link that is shaped lets the first bytes after a pause through at once). There are TRIALS batches; where calls are
   long no more than fit into ENOUGH seconds, but at least FEWEST. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef SHORTEST
#define SHORTEST 0.004
#endif
#ifndef TRIALS
#define TRIALS 200
#define FEWEST 5
#endif
#define ENOUGH 0.8

static double longest(double seconds) {
  double most;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

#define TIMED(least, call)                                                                                           \
  double least = 1e9, spent_##least = 0.0;                                                                           \
  for (int calls_ = 1, trial_ = 0; trial_ < TRIALS && (trial_ < FEWEST || spent_##least < ENOUGH);) {                \
    MPI_Barrier(MPI_COMM_WORLD);                                                                                     \
    double start_ = MPI_Wtime();                                                                                     \
    for (int call_ = 0; call_ < calls_; call_++)                                                                     \
      call;                                                                                                          \
    double seconds_ = longest(MPI_Wtime() - start_);                                                                 \
    if (seconds_ < SHORTEST) { /* the batches before were long only because something disturbed them */              \
      calls_ *= 2;                                                                                                   \
      trial_ = 0;                                                                                                    \
      least = 1e9;                                                                                                   \
      spent_##least = 0.0;                                                                                           \
      continue;                                                                                                      \
    }                                                                                                                \
    least = seconds_ / calls_ < least ? seconds_ / calls_ : least;                                                   \
    spent_##least += seconds_;                                                                                       \
    trial_++;                                                                                                        \
  }

/* One line: whether the result is right on all processes, and the seconds. */
static void report(int wrong, double seconds) {
  int rank, all;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s %.9g\n", all == 0 ? "right" : "WRONG", seconds);
}
