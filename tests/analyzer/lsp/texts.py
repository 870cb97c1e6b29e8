"""Texts that are open in the editor of a test."""

SCALE = """void scale(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * b[i];
}
"""
CARRIED = """void running(int n, float *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
"""
