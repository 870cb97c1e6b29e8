/* Dijkstra's shortest paths from vertex 0 of a dense graph of n vertices, each process with its part of the vertices and
   the edges that lead there; in each step the nearest vertex that is not done is found among all. P divides n. */
#include "timing.h"

#define FAR 1000000

typedef struct {
  int distance, vertex;
} Nearest;

/* `weight`: row v holds the edges from v. */
static void dijkstra(const int *restrict weight, int *restrict distance, int *restrict done, int n) {
  int rank, np;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int mine = n / np, first = rank * mine;
  for (int i = 0; i < mine; i++) {
    distance[i] = first + i == 0 ? 0 : FAR;
    done[i] = 0;
  }
  for (int step = 0; step < n; step++) {
    Nearest nearest = {2 * FAR, 0}, chosen;
    for (int i = 0; i < mine; i++)
      if (!done[i] && distance[i] < nearest.distance) {
        nearest.distance = distance[i];
        nearest.vertex = first + i;
      }
    MPI_Allreduce(&nearest, &chosen, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    for (int i = 0; i < mine; i++) {
      int longer = chosen.distance + weight[chosen.vertex * mine + i];
      if (first + i == chosen.vertex)
        done[i] = 1;
      distance[i] = longer < distance[i] ? longer : distance[i];
    }
  }
}

/* Vertex i leads to i + 1 and i + 3 (mod n) with weights 1 and 2. */
int main(int argc, char **argv) {
  int rank, np, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int n = atoi(argv[1]), mine = n / np, first = rank * mine;
  int *weight = malloc((size_t)n * mine * sizeof(int));
  int *distance = malloc(mine * sizeof(int)), *done = malloc(mine * sizeof(int));
  for (int v = 0; v < n; v++)
    for (int i = 0; i < mine; i++)
      weight[v * mine + i] = first + i == (v + 1) % n ? 1 : first + i == (v + 3) % n ? 2 : FAR;
  TIMED(seconds, dijkstra(weight, distance, done, n))
  for (int i = 0; i < mine; i++) {
    int best = FAR; /* i + n * turns = threes * 3 + ones */
    for (int turns = 0; turns < 3; turns++) {
      int length = first + i + n * turns, cost = length / 3 * 2 + length % 3;
      best = cost < best ? cost : best;
    }
    wrong += distance[i] != best;
  }
  report(wrong, seconds);
  MPI_Finalize();
  return 0;
}
