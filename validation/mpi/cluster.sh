#!/bin/sh
# Runs an MPI program on a cluster of network namespaces: every process has a host name and a full-duplex link of its own
# to a bridge, shaped to RATE (such as 1gbit; "none" leaves the link as fast as it is). Root, Open MPI, iproute2 and
# util-linux are needed; all of it is gone when the command ends.
#
#     cluster.sh RATE PROCESSES PROGRAM [ARGUMENT...]
set -eu

case "$1" in
--inside) # in a namespace of its own: makes the links, then starts Open MPI
  rate=$2 processes=$3
  shift 3
  ip link set lo up
  ip link add bridge type bridge
  ip address add 10.9.0.254/24 dev bridge
  ip link set bridge up
  hosts=""
  nodes=""
  trap 'kill $nodes' EXIT
  for node in $(seq "$processes"); do
    unshare --net --uts sleep infinity &
    pid=$!
    nodes="$nodes $pid"
    while [ "$(readlink /proc/$pid/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
    ip link add "port$node" type veth peer name eth0 netns "$pid"
    ip link set "port$node" master bridge up
    nsenter --net --uts -t "$pid" sh -c "
      hostname node$node
      ip link set lo up
      ip address add 10.9.0.$node/24 dev eth0
      ip link set eth0 up
      if [ $rate != none ]; then tc qdisc add dev eth0 root tbf rate $rate burst 4kb latency 200ms; fi"
    hosts="$hosts${hosts:+,}10.9.0.$node"
    echo "$pid" >"$CLUSTER/10.9.0.$node"
  done
  export OMPI_MCA_plm_rsh_agent="$0 --enter" OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1 \
    OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_mpi_yield_when_idle=1
  mpirun --allow-run-as-root --bind-to none --host "$hosts" -x CLUSTER "$@"
  ;;
--enter) # what Open MPI calls in place of ssh: a command in the namespace of a node
  host=$2
  shift 2
  exec nsenter --net --uts -t "$(cat "$CLUSTER/$host")" sh -c "$*"
  ;;
*)
  CLUSTER=$(mktemp -d)
  export CLUSTER
  trap 'rm -r "$CLUSTER"' EXIT
  unshare --net "$(realpath "$0")" --inside "$@"
  ;;
esac
