/* Boruvka's minimum spanning tree of a graph of n vertices and m edges, each process with its part of the edges. In every
   round each component finds its lightest edge, among the edges of all processes, and joins the component at the other
   end. P divides m; after `rounds` = ceil(log2 n) rounds one component is left. */
#include "timing.h"

#define HEAVY 100000000

typedef struct {
  int weight, edge;
} Lightest;

static int root(const int *parent, int v) {
  while (parent[v] != v)
    v = parent[v];
  return v;
}

/* The lightest edge that leaves each component, among the edges `first` and following. */
static void lightest(const int *restrict from, const int *restrict to, const int *restrict weight,
                     const int *restrict component, Lightest *restrict own, int first, int mine, int n) {
  for (int v = 0; v < n; v++) {
    own[v].weight = HEAVY;
    own[v].edge = -1;
  }
  for (int e = first; e < first + mine; e++) {
    int a = component[from[e]], b = component[to[e]];
    if (a != b && weight[e] < own[a].weight) {
      own[a].weight = weight[e];
      own[a].edge = e;
    }
    if (a != b && weight[e] < own[b].weight) {
      own[b].weight = weight[e];
      own[b].edge = e;
    }
  }
}

/* Components that `best` connects become one; returns the weight that the tree grows by. */
static long join(const int *restrict from, const int *restrict to, int *restrict component, int *restrict parent,
                 const Lightest *restrict best, int n) {
  long grown = 0;
  for (int v = 0; v < n; v++)
    parent[v] = v;
  for (int v = 0; v < n; v++)
    if (component[v] == v && best[v].edge >= 0) {
      int a = root(parent, component[from[best[v].edge]]), b = root(parent, component[to[best[v].edge]]);
      if (a != b) {
        parent[a] = b;
        grown += best[v].weight;
      }
    }
  for (int v = 0; v < n; v++)
    component[v] = root(parent, component[v]);
  return grown;
}

static long mst(int n, int m, int rounds, const int from[restrict m], const int to[restrict m],
                const int weight[restrict m], int component[restrict n], int parent[restrict n],
                Lightest own[restrict n], Lightest best[restrict n]) {
  int rank, np;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int mine = m / np;
  long total = 0;
  for (int v = 0; v < n; v++)
    component[v] = v;
  for (int round = 0; round < rounds; round++) {
    lightest(from, to, weight, component, own, rank * mine, mine, n);
    MPI_Reduce(own, best, n, MPI_2INT, MPI_MINLOC, 0, MPI_COMM_WORLD);
    if (rank == 0)
      total += join(from, to, component, parent, best, n);
    MPI_Bcast(component, n, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return total;
}

/* The weight of a minimum spanning tree by Kruskal's algorithm; edge e weighs the index at which `order` holds it. */
static long kruskal(const int *from, const int *to, const int *order, int *parent, int n, int m) {
  long total = 0;
  for (int v = 0; v < n; v++)
    parent[v] = v;
  for (int w = 0; w < m; w++) {
    int a = root(parent, from[order[w]]), b = root(parent, to[order[w]]);
    if (a != b) {
      parent[a] = b;
      total += w;
    }
  }
  return total;
}

/* A ring, and edges to vertices that are drawn; weights are the numbers below m in an order that is drawn. */
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int n = atoi(argv[1]), m = atoi(argv[2]), rounds = atoi(argv[3]);
  int *from = malloc(m * sizeof(int)), *to = malloc(m * sizeof(int)), *weight = malloc(m * sizeof(int));
  int *order = malloc(m * sizeof(int)), *component = malloc(n * sizeof(int)), *parent = malloc(n * sizeof(int));
  Lightest *own = malloc(n * sizeof(Lightest)), *best = malloc(n * sizeof(Lightest));
  unsigned drawn = 1;
  for (int e = 0; e < m; e++) {
    drawn = drawn * 1664525u + 1013904223u;
    from[e] = e % n;
    to[e] = e < n ? (e + 1) % n : (int)((drawn >> 8) % n);
    order[e] = e;
  }
  for (int e = m - 1; e > 0; e--) {
    drawn = drawn * 1664525u + 1013904223u;
    int other = (int)((drawn >> 8) % (e + 1)), kept = order[e];
    order[e] = order[other];
    order[other] = kept;
  }
  for (int w = 0; w < m; w++)
    weight[order[w]] = w;
  long total = 0;
  TIMED(seconds, total = mst(n, m, rounds, from, to, weight, component, parent, own, best))
  report(rank == 0 && total != kruskal(from, to, order, parent, n, m), seconds);
  MPI_Finalize();
  return 0;
}
