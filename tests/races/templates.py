"""Pieces of programs with choices left open (see `pieces`), by kind."""

TEMPLATES: dict[str, str] = {
    # --- variables of loops over threads
    "temporary": """
#pragma omp parallel for «|shared(T)|schedule(static, 2)|default(shared)|| private(T)| firstprivate(T)|\
 lastprivate(T)| default(none) private(T) shared(A, B, n)»
for (int i = 0; i < LIM; i++) {
    T = B[i] * 2; //~
    A[i] = T<<| + 1| * T>>;
}""",
    "counter": """
int i, j;
#pragma omp parallel for «||private(j)|private(j) schedule(dynamic)|private(i, j)|lastprivate(j)»
for (i = 0; i < SIDE; i++)
    for (j = 0; j < SIDE; j++)
        M[i][j] = <<i + j|M[i][j] * 2|i>>;""",
    "counter while": """
«int j;||»
#pragma omp parallel for
for (int i = 0; i < SIDE; i++) {
    «||int »j = 0;
    while (j < SIDE) {
        M[i][j] += 1;
        j++;
    }
}""",
    "sum": """
#pragma omp parallel for «| schedule(static)| firstprivate(n)|| reduction(+: S)| reduction(+ : S) schedule(dynamic, 2)»
for (int i = 0; i < LIM; i++)
    S <<+= A[i]|+= A[i] * B[i]|= S + A[i]>>;""",
    "product": """
#pragma omp parallel for « reduction(+: T)|| reduction(*: S) reduction(+: T)»
for (int i = 0; i < LIM; i++) {
    S *= 1 + A[i];
    T += A[i];
}""",
    "maximum": """
#pragma omp parallel for «|| reduction(max: S)»
for (int i = 0; i < LIM; i++)
    <<if (A[i] > S) S = A[i];|S = A[i] > S ? A[i] : S;|S = fmax(S, A[i]);>>""",
    "maximum held": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    <<|if (A[i] >= 0)>>
    «||#pragma omp critical»
    {
        if (A[i] > S)
            S = A[i];
    }
}""",
    "maximum twice": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    «if (A[i] > S)||» {
        #pragma omp critical
        if (A[i] > S)
            S = A[i];
    }
}""",
    "count": """
#pragma omp parallel for «| firstprivate(n)|| reduction(+: U)»
for (int i = 0; i < LIM; i++)
    if (A[i] > 1)
        <<U++;|U += 1;|++U;>>""",
    "counted": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    if (A[i] > <<1|B[i] - 1>>) {
        «||#pragma omp atomic»
        U++;
    }""",
    "induction": """
U = 0;
#pragma omp parallel for «||  firstprivate(U)»
for (int i = 0; i < LIM; i++) {
    «A[U] = i;||A[i] = U;»
    «U++;||»
}""",
    "induction of two": """
U = 0;
«||#pragma omp parallel for firstprivate(U)»
«#pragma omp parallel for||»
for (int i = 0; i < LIM; i++) {
    U = 2 * i;
    A[U<<| + 1>>] = B[i];
}""",
    "last": """
#pragma omp parallel for «||lastprivate(S)»
for (int i = 0; i < LIM; i++)
    S = A[i];""",
    "flag": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    if (A[i] == <<2|B[i]>>)
        «U = 1;|U = i;||B[i] = 1;»""",
    "once": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    if (i == <<3|0|n - 1|n / 2>>)
        S = A[i];
    «B[i] = S;||B[i] = A[i];»
}""",
    "odd and even": """
#pragma omp parallel for
for (int i = 1; i < LIM; i++)
    if (i % 2)
        A[i] = A[i «- 2 + 2 * (i < 2)||- 1»] + 1;""",
    "static in function": """
static int calls;
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    «static double v;||double v;»
    v = A[i]; //~
    B[i] = v;
}
calls++;""",
    "declared inside": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    double v[4];
    for (int k = 0; k < 4; k++)
        v[k] = A[i] + k;
    B[i] = v[0] + v[3];
}
S += 1;«
#pragma omp parallel
S = 2;||»""",
    "small array": """
double v[4];
#pragma omp parallel for «||private(v)»
for (int i = 0; i < LIM; i++) {
    for (int k = 0; k < 4; k++)
        v[k] = A[i] + k;
    B[i] = v[0] + v[3];
}""",
    "array sums": """
double h[4] = {0};
#pragma omp parallel for «||reduction(+: h[:4])|reduction(+: h)»
for (int i = 0; i < LIM; i++)
    h[i % 4] += A[i];
S = h[0] + h[3];""",
    "structure": """
struct pair@ { double first, second; };
%%
struct pair@ r[LEN], one = {1, 2};
#pragma omp parallel for «||firstprivate(one)»
for (int i = 0; i < LIM; i++) {
    one.first = A[i];
    r[i].<<first|second>> = one.first;
}
S = r[1].first;""",
    "members": """
struct state@ { double sum, list[LEN]; };
%%
struct state@ r = {0}, *p = &r;
#pragma omp parallel for
for (int i = 0; i < LIM - 1; i++)
    <<r|(*p)>>.list[i] = <<r|(*p)|p[0]>>.«list[i + 1]||list[i] + 1»;
S = r.list[2];""",
    "pointer to sum": """
double *p = &S;
#pragma omp parallel for «||  reduction(+: T)»
for (int i = 0; i < LIM; i++)
    «*p||T» += A[i];""",
    "pointer moved": """
double *p = A;
#pragma omp parallel for «||  firstprivate(p)»
for (int i = 0; i < LIM; i++)
    «*p++ = i;||p[i] = i;»""",
    "pointers alike": """
double *p = A, *q = «A + 1|&A[2]||B|A + LIM|A»;
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    p[i] = q[i] + 1;""",
    # --- subscripts that memory holds
    "indices": """
for (int k = 0; k < LEN; k++)
    X[k] = «k / 2|0|k % 5||k|LEN - 1 - k»;
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    A[X[i]] <<= i|+= 1>>;""",
    "histogram": """
for (int k = 0; k < LEN; k++)
    X[k] = k % 3;
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    «||#pragma omp atomic|#pragma omp critical»
    A[X[i]] += 1;
}""",
    # --- several loops, collapsed and nested ones
    "collapse": """
#pragma omp parallel for collapse(2)«| private(S)||»
for (int i = 1; i < SIDE; i++)
    for (int j = 1; j < SIDE; j++)
        M[i][j] = «M[i][j - 1]|M[i - 1][j]|M[j][i]||M[i][j] + i|i * j»;""",
    "collapse of rows": """
#pragma omp parallel for «collapse(2)||»
for (int i = 0; i < SIDE; i++)
    for (int j = 1; j < SIDE; j++)
        M[i][j] = M[i][j - 1] + 1;""",
    "flat square": """
int w = <<8|n / 3>>;
#pragma omp parallel for <<|collapse(2)>>
for (int i = 0; i < 8; i++)
    for (int j = 0; j < «w + 1||w|w - 1»; j++)
        A[i * w + j] <<= i|+= j>>;""",
    "inner loop": """
for (int i = 1; i < SIDE; i++) {
    #pragma omp parallel for
    for (int j = 1; j < SIDE; j++)
        M[i][j] = «M[i][j - 1]||M[i - 1][j]|M[i - 1][j - 1]» + 1;
}""",
    "triangle": """
#pragma omp parallel for
for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < «SIDE||i + 1|i»; j++)
        M[i][j] += «M[j][i]||1»;""",
    "nested": """
#pragma omp parallel for
for (int i = 0; i < SIDE; i++) {
    «double v = 0;||double v = 0;»
    #pragma omp parallel for «||reduction(+: v)» num_threads(2)
    for (int j = 0; j < SIDE; j++)
        v += M[i][j];
    A[i] = v;
}""",
    "matrix product": """
double r[SIDE][SIDE] = {{0}};
«int k;||»
#pragma omp parallel for
for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
        for («||int »k = 0; k < SIDE; k++)
            r[i][j] += M[i][k] * M[k][j];
S = r[1][1];""",
    "rows of pointers": """
double *rows[SIDE];
for (int k = 0; k < SIDE; k++)
    rows[k] = <<M[k]|malloc(SIDE * sizeof(double))>>;
for (int k = 0; k < SIDE; k++)
    rows[k][0] = k;
#pragma omp parallel for
for (int i = 1; i < SIDE; i++)
    rows[i][0] = rows[«i - 1||i»][0] + 1;""",
    "sizes of arguments": """
static void fill@(int rows, int columns, double v[rows][columns])
{
    #pragma omp parallel for
    for (int i = 1; i < rows; i++)
        for (int j = 0; j < columns; j++)
            v[i][j] = «v[i - 1][j]||v[0][j]» + 1;
}
%%
fill@(SIDE, SIDE, M);""",
    "simd": """
#pragma omp «parallel for|parallel for simd||simd|parallel for simd»
for (int i = 4; i < LIM; i++)
    A[i] = «A[i - 4]||B[i - 4]» + 1;""",
    # --- numbers of threads
    "by number": """
#pragma omp parallel
{
    int me = omp_get_thread_num();
    A[me] = me;
    «||#pragma omp barrier»
    //~
    B[me] = A[<<me + 1|me ? me - 1 : 1>>];
}""",
    "own element": """
#pragma omp parallel
{
    A[«0|1|omp_get_num_threads()||omp_get_thread_num()»] += 1; //~
}""",
    "own block": """
#pragma omp parallel
{
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    int size = (LIM + all - 1) / all;
    for (int i = me * size; i < (me + 1) * size «+ 1||» && i < LIM; i++)
        A[i] <<+= 1|= me>>;
}""",
    "own share": """
#pragma omp parallel
{
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < LIM; i += all)
        A[i] = «A[i + 1]||B[i]» + me;
}""",
    "first thread": """
#pragma omp parallel
{
    if (omp_get_thread_num() == 0)
        S = 2; //~
    «||#pragma omp barrier»
    double v = S;
    #pragma omp critical
    T += v;
}""",
    "partial sums": """
double part[64] = {0};
#pragma omp parallel «shared(T)||»
{
    int me = omp_get_thread_num();
    #pragma omp for « nowait||»
    for (int i = 0; i < LIM; i++)
        part[me] += A[i];
    //~
    «#pragma omp master||#pragma omp single»
    for (int k = 0; k < omp_get_num_threads(); k++)
        S += part[k];
}""",
    "private number": """
int me;
#pragma omp parallel «||private(me)»
{
    me = omp_get_thread_num(); //~
    A[«me||omp_get_thread_num()»] = me;
}""",
    # --- who waits for whom
    "single then read": """
#pragma omp parallel
{
    #pragma omp «single nowait|master||single»
    S = 2; //~
    double v = S;
    A[omp_get_thread_num()] = v;
}""",
    "master and barrier": """
#pragma omp parallel
{
    #pragma omp master
    S = 2;
    //~
    «||#pragma omp barrier»
    A[omp_get_thread_num()] = S;
}""",
    "copyprivate": """
double v;
#pragma omp parallel «||private(v)»
{
    #pragma omp single «nowait||copyprivate(v)»
    v = 3;
    A[omp_get_thread_num()] = v;
}""",
    "loop in region": """
#pragma omp parallel
{
    for (int k = 0; k < 3; k++) {
        #pragma omp for « nowait||»
        for (int i = 0; i < LIM; i++)
            <<A[i] = B[LIM - 1 - i];|A[i] = B[i + 1];>>
        //~
        #pragma omp for
        for (int i = 0; i < LIM; i++)
            B[i] = A[i] + k;
        //~
    }
}""",
    "loop with shared counter": """
int k;
#pragma omp parallel «||private(k)»
for (k = 0; k < 3; k++) {
    A[omp_get_thread_num()] += k; //~
}""",
    "sum in region": """
S = 0;
#pragma omp parallel
{
    #pragma omp for reduction(+: S)« nowait||»
    for (int i = 0; i < LIM; i++)
        S += A[i];
    //~
    B[omp_get_thread_num()] = S;
}""",
    "sum set in region": """
#pragma omp parallel
{
    #pragma omp <<master|single nowait>>
    S = 0;
    «//~||#pragma omp barrier»
    #pragma omp for reduction(+: S)
    for (int i = 0; i < LIM; i++)
        S += A[i];
}""",
    "condition of region": """
#pragma omp parallel if (<<n > 100|0>>) num_threads(«4||1»)
{
    S += 1;
}
«
#pragma omp parallel
S += 1;||»""",
    # --- what is held
    "critical names": """
#pragma omp parallel
{
    #pragma omp critical<<|(one)>>
    S += 1;
    //~
    #pragma omp critical«(other)||<<|>>»
    «S += 2;||T += 2;»
}""",
    "critical sum": """
#pragma omp parallel
{
    double v = 0;
    #pragma omp for<<| nowait>>
    for (int i = 0; i < LIM; i++)
        v += A[i];
    «||#pragma omp critical|#pragma omp atomic»
    S += v; //~
}""",
    "critical then read": """
#pragma omp parallel
{
    #pragma omp critical
    U++;
    //~
    «||#pragma omp barrier»
    A[omp_get_thread_num()] = U;
}""",
    "atomic": """
#pragma omp parallel
{
    int v;
    #pragma omp atomic
    U++;
    «||#pragma omp atomic read»
    v = U;
    A[omp_get_thread_num()] = v;
}""",
    "atomic write": """
#pragma omp parallel
{
    «||#pragma omp atomic write»
    U = 3;
}""",
    "atomic of other": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    #pragma omp atomic
    S += «T||A[i]»;
    «T = i;||»
}""",
    "atomic capture": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    int at;
    «||#pragma omp atomic capture»
    at = U++;
    A[at] = B[i];
}""",
    "atomic capture of block": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    int v;
    #pragma omp atomic capture
    {
        v = U;
        U = U + 1;
    }
    A[«0||i»] = v;
}""",
    "atomic and critical": """
#pragma omp parallel
{
    #pragma omp atomic
    U += 1;
    //~
    «#pragma omp critical||#pragma omp atomic»
    U += 2;
}""",
    "lock": """
omp_lock_t lock;
omp_init_lock(&lock);
#pragma omp parallel
{
    omp_set_lock(&lock);
    S += 1;
    omp_unset_lock(&lock);
    //~
    «S += 2;||A[omp_get_thread_num()] += 2;»
}
omp_destroy_lock(&lock);""",
    "two locks": """
omp_lock_t one, other;
omp_init_lock(&one);
omp_init_lock(&other);
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    if (i % 2) {
        omp_set_lock(&one);
        S += A[i];
        omp_unset_lock(&one);
    } else {
        omp_set_lock(&«other||one»);
        S -= A[i];
        omp_unset_lock(&«other||one»);
    }
}""",
    "locks of elements": """
omp_lock_t locks[8];
for (int k = 0; k < 8; k++)
    omp_init_lock(&locks[k]);
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    int k = i % 8;
    omp_set_lock(&locks[«i % 7||k»]);
    A[k] += i;
    omp_unset_lock(&locks[«i % 7||k»]);
}""",
    "lock of file": """
static omp_lock_t lock@;
static double total@;
static void add@(double v)
{
    «||omp_set_lock(&lock@);»
    total@ += v;
    «||omp_unset_lock(&lock@);»
}
%%
omp_init_lock(&lock@);
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    add@(A[i]);""",
    "ordered": """
#pragma omp parallel for ordered
for (int i = 1; i < LIM; i++) {
    double v = B[i] * 2;
    «||#pragma omp ordered»
    A[i] = A[i - 1] + v;
}""",
    "ordered sum": """
#pragma omp parallel for ordered schedule(<<static|dynamic>>)
for (int i = 0; i < LIM; i++) {
    #pragma omp ordered
    { S += A[i]; }
    «A[0] = S;||A[i] = 0;»
}""",
    "doacross": """
#pragma omp parallel for ordered(1)
for (int i = 1; i < LIM; i++) {
    #pragma omp ordered depend(sink: i - «2||1»)
    A[i] = A[i - 1] + 1;
    #pragma omp ordered depend(source)
}""",
    # --- sections
    "sections": """
#pragma omp parallel sections
{
    #pragma omp section
    { S = 2; T = 1; }
    #pragma omp section
    { //~
        «T = 3;|U = S;||U = 4;» }
}""",
    "sections of arrays": """
#pragma omp parallel sections<<| num_threads(2)>>
{
    #pragma omp section
    for (int i = 0; i < LIM; i++)
        A[i] = i;
    #pragma omp section
    for (int i = 0; i < LIM; i++)
        «B[i] = A[i]|A[i + LIM / 2] = 1|A[LIM - 1] = i||B[i] = i|A[i + LIM] = i»;
}""",
    "sections in region": """
#pragma omp parallel
{
    #pragma omp sections « nowait||»
    {
        #pragma omp section
        S = 2;
        #pragma omp section
        T = 2;
    }
    //~
    A[omp_get_thread_num()] = S + T;
}""",
    "sections with temporary": """
#pragma omp parallel sections «||private(S)»
{
    #pragma omp section
    for (int i = 0; i < LIM; i++) {
        S = i;
        A[i] = S;
    }
    #pragma omp section
    for (int i = 0; i < LIM; i++) {
        S = 2 * i;
        B[i] = S;
    }
}""",
    # --- tasks
    "tasks": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task shared(S)
    S = 2;
    «||#pragma omp taskwait»
    #pragma omp task shared(S)
    { //~
        S += 1; }
}""",
    "task and maker": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task<<| shared(S)>>
    { //~
        S += 1; }
    «||#pragma omp taskwait»
    T = S;
}""",
    "tasks of two scalars": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task
    { //~
        S = 2; }
    «//~||#pragma omp taskwait»
    #pragma omp task firstprivate(S)
    { S += 3; A[1] = S; }
}""",
    "task of local": """
#pragma omp parallel
#pragma omp single
{
    double v = 1;
    #pragma omp task «shared(v)||firstprivate(v)|»
    { //~
        v = 2;
        A[0] = v; }
    v = 4; //~
    #pragma omp taskwait
}""",
    "tasks in loop": """
#pragma omp parallel
#pragma omp single
for (int i = 0; i < 8; i++) {
    #pragma omp task<<| firstprivate(i)>>
    { //~
        A[«0|i / 2||i|2 * i»] = i; }
}""",
    "tasks with shared counter": """
#pragma omp parallel
#pragma omp single
{
    int i;
    for (i = 0; i < 8; i++) {
        #pragma omp task «shared(i)||firstprivate(i)|»
        { //~
            A[i] = 1; }
    }
    #pragma omp taskwait
}""",
    "tasks of neighbours": """
#pragma omp parallel
#pragma omp single
for (int i = 1; i < 8; i++) {
    #pragma omp task
    { //~
        A[i] = «A[i - 1]||B[i - 1]» + 1; }
}""",
    "tasks summed": """
#pragma omp parallel
#pragma omp single
for (int i = 0; i < 8; i++) {
    #pragma omp task
    {
        «||#pragma omp atomic|#pragma omp critical»
        S += A[i];
    }
}""",
    "depend": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task depend(out: S)
    { //~
        S = 2; }
    #pragma omp task depend(in: «T||S»)
    A[0] = S;
}""",
    "depend of three": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task depend(out: S)
    S = 2;
    #pragma omp task depend(in: S) depend(out: T)
    { //~
        T = S; }
    #pragma omp task depend(«in: S||in: T|inout: T»)
    { U = T; }
}""",
    "depend of readers": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task depend(out: S)
    S = 2;
    #pragma omp task depend(in: S)
    { //~
        «T = S;||A[0] = S;» }
    #pragma omp task depend(in: S)
    { //~
        T = S + 1; }
}""",
    "depend in loop": """
#pragma omp parallel
#pragma omp single
for (int i = 1; i < 8; i++) {
    #pragma omp task depend(<<in: A[i - 1]|in: A[i - 1], B[0]>>) depend(«in||out»: A[i])
    { //~
        A[i] = A[i - 1] + 1; }
}""",
    "depend on one": """
#pragma omp parallel
#pragma omp single
for (int i = 0; i < 8; i++) {
    #pragma omp task depend(«in||inout»: S)
    { //~
        S += A[i]; }
}""",
    "depend across makers": """
#pragma omp parallel
{
    «||#pragma omp single»
    {
        #pragma omp task depend(inout: S)
        { //~
            S += 1; }
    }
}""",
    "taskgroup": """
#pragma omp parallel
#pragma omp single
{
    «||#pragma omp taskgroup»
    {
        #pragma omp task
        { //~
            S = 2; }
    }
    T = S;
}""",
    "taskwait of child": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task
    {
        #pragma omp task
        { //~
            S = 2; }
        «||#pragma omp taskwait»
    }
    #pragma omp taskwait
    T = S; //~
}""",
    "taskwait with depend": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task depend(out: S)
    { //~
        S = 2; }
    #pragma omp task depend(out: T)
    { //~
        T = 2; }
    #pragma omp taskwait« depend(in: T)||»
    A[0] = S;
}""",
    "task at barrier": """
#pragma omp parallel
{
    #pragma omp single« nowait||»
    {
        #pragma omp task
        { //~
            S = 2; }
    }
    A[omp_get_thread_num()] = S;
}""",
    "tasks of all threads": """
#pragma omp parallel
{
    #pragma omp task
    { //~
        «U += 1;||double v = A[0]; v += 1;» }
}""",
    "task in parallel for": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    #pragma omp task
    { //~
        A[«i / 3||i»] += 1; }
}""",
    "final task": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp task if («n > 0||0») shared(S)
    { //~
        S = 2; }
    T = S;
}""",
    "recursive tasks": """
static void walk@(double *v, int from, int to)
{
    if (to - from < 2) {
        «v[0]||v[from]» += 1;
        return;
    }
    #pragma omp task
    walk@(v, from, (from + to) / 2);
    #pragma omp task
    walk@(v, (from + to) / 2, to);
    #pragma omp taskwait
}
%%
#pragma omp parallel
#pragma omp single
walk@(A, 0, 8);""",
    "recursive sum": """
static double sum@(double *v, int from, int to)
{
    double x = 0, y = 0;
    if (to - from < 2)
        return v[from];
    #pragma omp task «shared(x)||shared(x)»
    x = sum@(v, from, (from + to) / 2);
    #pragma omp task shared(y)
    y = sum@(v, (from + to) / 2, to);
    «||#pragma omp taskwait»
    return x + y;
}
%%
#pragma omp parallel
#pragma omp single
S = sum@(A, 0, 8);""",
    "taskloop": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp taskloop<<| grainsize(1)| num_tasks(8)>>
    for (int i = 1; i < 12; i++) {
        //~
        A[i] = «A[i - 1]||A[i]|B[i - 1]» + 1;
    }
}""",
    "taskloop of all": """
#pragma omp parallel
«||#pragma omp single»
{
    #pragma omp taskloop
    for (int i = 0; i < 12; i++) {
        //~
        A[i] += 1;
    }
}""",
    "taskloop then read": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp taskloop« nogroup||» grainsize(1)
    for (int i = 0; i < 12; i++) {
        //~
        A[i] += 1;
    }
    S = A[3] + A[11];
}""",
    "taskloop with temporary": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp taskloop grainsize(1) «shared(T)||private(T)|firstprivate(T)»
    for (int i = 0; i < 12; i++) {
        T = B[i]; //~
        A[i] = T;
    }
}""",
    "taskloop sum": """
#pragma omp parallel
#pragma omp single
{
    #pragma omp taskloop grainsize(1) «shared(S)||reduction(+: S)»
    for (int i = 0; i < 12; i++)
        S += A[i];
}""",
    # --- functions
    "helper stores": """
static void put@(double *p, int i)
{
    p[«i / 2||i»] = i;
}
%%
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    put@(A, i);""",
    "helper of element": """
static void put@(double *p, double v)
{
    *p += v;
}
%%
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    put@(&A[«3|i % 4||i»], B[i]);""",
    "helper of global": """
static double kept@;
static double twice@(double v)
{
    «kept@ = v;||double kept = v;» //~
    return 2 * «kept@||kept»;
}
%%
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    A[i] = twice@(B[i]);
S = kept@;""",
    "helper with static": """
static int next@(void)
{
    «static int state||int state» = 1;
    state = state * 5 + 1;
    return state % 7;
}
%%
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    A[i] = next@();""",
    "helper of helper": """
static double total@;
static void add@(double v)
{
    «||#pragma omp atomic|#pragma omp critical»
    total@ += v;
}
static void each@(double *p, int i)
{
    add@(p[i]);
}
%%
#pragma omp parallel
{
    #pragma omp for
    for (int i = 0; i < LIM; i++)
        each@(A, i);
}
S = total@;""",
    "helper out": """
static void halves@(double v, double *low, double *high)
{
    *low = v / 2;
    *high = v - *low;
}
%%
«double low, high;||»
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    «||double low, high;»
    halves@(A[i], &low, &high); //~
    B[i] = low * high;
}""",
    "helper by pointer": """
static double square@(double v) { return v * v; }
static double shared@;
static double noted@(double v) { shared@ = v; return v; }
%%
double (*f)(double) = «noted@||square@»;
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    A[i] = f(B[i]);
S = noted@(1) + square@(2);""",
    "orphaned loop": """
static void work@(double *p, double *q, int n)
{
    #pragma omp for « nowait||»
    for (int i = 0; i < n; i++)
        p[i] = i;
    //~
    #pragma omp for
    for (int i = 0; i < n; i++)
        q[i] = p[n - 1 - i];
}
%%
#pragma omp parallel
work@(A, B, LIM);""",
    "orphaned dependence": """
static void work@(double *p, int n)
{
    #pragma omp for
    for (int i = 1; i < n; i++)
        p[i] = «p[i - 1]||p[i]» * 2;
}
%%
#pragma omp parallel
{
    work@(A, LIM);
}""",
    "orphaned without loop": """
static void work@(double *p, int n)
{
    «||#pragma omp for»
    for (int i = 0; i < n; i++)
        p[i] += 1;
}
%%
#pragma omp parallel
work@(A, LIM);""",
    "orphaned single": """
static double level@;
static void set@(double v)
{
    #pragma omp single« nowait||»
    level@ = v;
}
%%
#pragma omp parallel
{
    set@(2); //~
    A[omp_get_thread_num()] = level@;
}""",
    "orphaned tasks": """
static void start@(double *p, int n)
{
    for (int i = 0; i < n; i++) {
        #pragma omp task
        { //~
            p[«0||i»] += 1; }
    }
}
%%
#pragma omp parallel
{
    #pragma omp single
    start@(A, 8);
}""",
    "orphaned sum": """
static double total@;
static void sum@(double *p, int n)
{
    #pragma omp for «||reduction(+: total@)»
    for (int i = 0; i < n; i++)
        total@ += p[i];
}
%%
#pragma omp parallel
sum@(A, LIM);
S = total@;""",
    "orphaned local": """
static void sum@(double *p, double *r, int n)
{
    double v = 0;
    #pragma omp for
    for (int i = 0; i < n; i++)
        v += p[i];
    «||#pragma omp critical»
    *r += v;
}
%%
#pragma omp parallel
sum@(A, &S, LIM);""",
    "threadprivate": """
static double own@;
«||#pragma omp threadprivate(own@)»
%%
#pragma omp parallel
{
    own@ = omp_get_thread_num(); //~
    A[omp_get_thread_num()] = own@;
}""",
    "threadprivate in helper": """
static int seed@ = 1;
«||#pragma omp threadprivate(seed@)»
static int draw@(void)
{
    seed@ = (seed@ * 1103 + 7) % 1024;
    return seed@;
}
%%
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    A[i] = draw@();""",
    "math": """
#pragma omp parallel for
for (int i = 1; i < LIM; i++)
    A[i] = <<sqrt|fabs|exp>>(«A[i - 1]||A[i]»);""",
    "allocated inside": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    double *v = «A + 40||malloc(4 * sizeof(double))»;
    v[0] = B[i]; //~
    A[i] = v[0];
    «||free(v);»
}""",
    "two regions": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++)
    A[i] = i;
#pragma omp parallel for
for (int i = 1; i < LIM; i++)
    «A[i] = A[i - 1]||B[i] = A[i - 1]»;""",
    "halves": """
int h = LIM / 2;
#pragma omp parallel for
for (int i = 0; i < h« + 1||»; i++)
    A[i] = A[i + h] + <<1|B[i]>>;""",
    "swap": """
#pragma omp parallel for
for (int i = 0; i < «LIM||LIM / 2»; i++) {
    double v = A[i];
    A[i] = A[LIM - 1 - i];
    A[LIM - 1 - i] = v;
}""",
    "strides": """
#pragma omp parallel for
for (int i = 0; i < LIM; i += <<2|4>>)
    A[i] = A[i + «4||1»] + 1;""",
    "tiles": """
#pragma omp parallel for
for (int k = 0; k < LIM; k += 8)
    for (int i = k; i < k + «9||8» && i < LEN; i++)
        A[i] <<+= 1|= k>>;""",
    "break of dependence": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    int k = i + «1||LIM»;
    A[i] = A[k] * 2;
}""",
    "condition of contents": """
#pragma omp parallel for
for (int i = 0; i < LIM; i++) {
    int k = A[i] > 1 ? «0||i» : i;
    B[k] = A[i];
}""",
    "list": """
struct node@ { double v; struct node@ *next; };
%%
struct node@ nodes[8];
for (int k = 0; k < 8; k++) {
    nodes[k].v = k;
    nodes[k].next = k < 7 ? &nodes[k + 1] : 0;
}
#pragma omp parallel
#pragma omp single
for (struct node@ *p = nodes; p; p = p->next) {
    #pragma omp task<<| firstprivate(p)>>
    { //~
        «nodes[0].v||p->v» += 1; }
}""",
    "while in region": """
#pragma omp parallel
{
    int go = 1, i;
    while (go) {
        «||#pragma omp critical»
        { i = U++; go = i < LIM; }
        if (go)
            A[i] = i;
    }
}""",
}
