"""Values and helpers without knowledge of C: places, errors, amounts in words, packing, recursion."""
