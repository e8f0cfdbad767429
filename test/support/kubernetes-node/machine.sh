#!/usr/bin/env bash
# A machine that is one Kubernetes node: processes, mounts and network of its own (namespaces), and cgroups below one of its own. As root.
#   machine.sh FOLDER PROGRAMS ADDRESS OUTSIDE ID
# FOLDER keeps what a disk would keep. It has images/ (archives, and `names`: further names of images in them), and gets admin.conf, boots (a line for
# each time that the node came up) and init (the process whose end is a power cut: the machine starts again, with its disk). PROGRAMS is what
# .ci/kubernetes-node built, ADDRESS the machine's address, OUTSIDE the other end of its cable.
# It ends with its standard input, and takes all of it along, FOLDER too.
set -euo pipefail
root=$1 programs=$2 address=$3 outside=$4 id=$5
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
group=outpost-node-$id

cgroup_roots() { if [ -e /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else ls -d /sys/fs/cgroup/*/cgroup.procs | xargs -n 1 dirname; fi; }

# Outside: what starts the machine, and clears up after it.
machine=
power_off() {
  [ -n "$machine" ] || return 0
  # With its first process go all; unshare waits for it. Where that is not known yet, unshare takes it along.
  kill -KILL "$(cat "$root/init" 2>/dev/null || echo "$machine")" 2>/dev/null || kill -KILL "$machine" 2>/dev/null || true
  wait "$machine" 2>/dev/null || true
  ip link del "op$id" 2>/dev/null || true
}
remove_groups() { for hierarchy in $(cgroup_roots); do find "$hierarchy/$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true; done; }
clear_up() {
  trap - EXIT
  power_off
  for _ in $(seq 100); do
    remove_groups
    rm -rf --one-file-system "$root" 2>/dev/null || true
    [ -z "$(ls -d "$root" /sys/fs/cgroup{,/*}/"$group" 2>/dev/null)" ] && break
    sleep 0.1
  done
}
power_on() {
  rm -f "$root/init" "$root/reached"
  # None is left after a power cut: the kubelet would ask for 3 s what each of them is.
  remove_groups
  for hierarchy in $(cgroup_roots); do mkdir -p "$hierarchy/$group"; done
  setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child=KILL --mount-proc bash "$0" "$@" inside </dev/null &
  machine=$!
  local init=
  until [ -n "$init" ]; do
    kill -0 "$machine" || return 1
    sleep 0.05
    read -r init _ <"/proc/$machine/task/$machine/children" || true
  done
  ip link add "op$id" type veth peer name node0 netns "$init"
  ip address add "$outside/30" dev "op$id"
  ip link set "op$id" up
  echo "$init" >"$root/init"
}
certificate() { # name, subject
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$root/pki/$1.key" -out "$root/pki/$1.csr" -subj "$2" 2>/dev/null
  openssl x509 -req -in "$root/pki/$1.csr" -CA "$root/pki/ca.crt" -CAkey "$root/pki/ca.key" -CAcreateserial -days 30 -out "$root/pki/$1.crt" \
    -extfile <(echo "subjectAltName=IP:$address,IP:10.96.0.1,DNS:kubernetes.default.svc") 2>/dev/null
}
make_certificates() {
  mkdir "$root/pki"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$root/pki/ca.key" -out "$root/pki/ca.crt" -days 30 -subj /CN=node 2>/dev/null
  openssl ecparam -genkey -name prime256v1 -noout -out "$root/pki/accounts.key"
  certificate server /CN=kube-apiserver
  certificate admin /O=system:masters/CN=admin
  certificate kubelet /O=system:nodes/CN=system:node:node1
}
# What holds the namespaces of a pod: an image of one file, in the format of docker save.
make_pause_image() {
  local work architecture
  work=$(mktemp -d "$root/pause.XXXXXX")
  case $(uname -m) in aarch64) architecture=arm64 ;; *) architecture=amd64 ;; esac
  tar -C "$programs" --owner=0 --group=0 -cf "$work/layer.tar" pause
  printf '{"architecture": "%s", "os": "linux", "config": {"Entrypoint": ["/pause"]}, "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}' \
    "$architecture" "$(sha256sum "$work/layer.tar" | cut -d' ' -f1)" >"$work/config.json"
  echo '[{"Config": "config.json", "RepoTags": ["localhost/pause:1"], "Layers": ["layer.tar"]}]' >"$work/manifest.json"
  tar -C "$work" -cf "$root/images/pause.tar" manifest.json config.json layer.tar
  rm -rf "$work"
}
if [ "${6-}" != inside ]; then
  trap clear_up EXIT
  trap 'exit 143' TERM INT HUP
  make_certificates
  make_pause_image
  exec 3<&0
  { cat >/dev/null <&3; kill -TERM $$; } &
  exec 3<&-
  while power_on "$@"; do
    wait "$machine" || true
    machine=
    [ -e "$root/reached" ] || { echo "the node did not come up" >&2; exit 1; }
  done
  exit 1
fi

# Inside: the first process of the machine.
cd "$root"
mount --make-rshared /
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/log
mkdir -p /run/var-lib/{upper,work}
mount -t overlay -o lowerdir=/var/lib,upperdir=/run/var-lib/upper,workdir=/run/var-lib/work overlay /var/lib
# What the kubelet would set for the whole host it finds set already: files of ours.
set_for_kubelet() { mkdir -p "/run/sysctl/${1%/*}"; echo "$2" >"/run/sysctl/$1"; mount --bind "/run/sysctl/$1" "/proc/sys/$1"; }
set_for_kubelet vm/overcommit_memory 1
set_for_kubelet vm/panic_on_oom 0
set_for_kubelet kernel/panic 10
set_for_kubelet kernel/panic_on_oops 1
set_for_kubelet kernel/keys/root_maxkeys 1000000
set_for_kubelet kernel/keys/root_maxbytes 25000000

ip link set lo up
until ip link show node0 >/dev/null 2>&1; do sleep 0.05; done
ip address add "$address/30" dev node0
ip link set node0 up
ip route add default via "$outside"
echo 1 >/proc/sys/net/ipv4/ip_forward

kubeconfig() { # file, certificate
  cat >"$1" <<END
apiVersion: v1
kind: Config
clusters: [{name: node, cluster: {server: "https://$address:6443", certificate-authority: $root/pki/ca.crt}}]
users: [{name: user, user: {client-certificate: $root/pki/$2.crt, client-key: $root/pki/$2.key}}]
contexts: [{name: node, context: {cluster: node, user: user}}]
current-context: node
END
}
mkdir -p log
start() { local name=$1; shift; setsid "$@" >>"log/$name.log" 2>&1 & }
kubectl() { "$programs/kubectl" --kubeconfig "$root/admin.conf" "$@"; }
until_done() { until "$@" >/dev/null 2>&1; do sleep 0.2; done; }
kubeconfig admin.conf admin
kubeconfig kubelet.conf kubelet

start etcd "$programs/etcd" --unsafe-no-fsync --data-dir "$root/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
# Pods must keep to the restricted standard wherever a namespace does not ask for another one.
cat >admission.yaml <<END
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
  - name: PodSecurity
    configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: restricted, warn: restricted}}
END
start apiserver "$programs/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address="$address" --advertise-address="$address" --secure-port=6443 \
  --tls-cert-file=pki/server.crt --tls-private-key-file=pki/server.key --client-ca-file=pki/ca.crt \
  --kubelet-client-certificate=pki/admin.crt --kubelet-client-key=pki/admin.key --kubelet-preferred-address-types=InternalIP \
  --requestheader-client-ca-file=pki/ca.crt --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --requestheader-extra-headers-prefix=X-Remote-Extra- --proxy-client-cert-file=pki/admin.crt --proxy-client-key-file=pki/admin.key --enable-aggregator-routing=true \
  --service-account-key-file=pki/accounts.key --service-account-signing-key-file=pki/accounts.key --service-account-issuer=https://kubernetes.default.svc \
  --service-cluster-ip-range=10.96.0.0/16 --authorization-mode=Node,RBAC --allow-privileged=true --admission-control-config-file=admission.yaml

mkdir -p cni
cat >containerd.toml <<END
version = 2
root = "$root/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$root/cni"
END
# Addresses of pods are kept on /run: after a power cut none is taken.
cat >cni/10-pods.conflist <<END
{"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "bridge", "bridge": "pods0", "isGateway": true, "hairpinMode": true, "ipMasq": true,
  "ipam": {"type": "host-local", "dataDir": "/run/addresses", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
start containerd containerd -c containerd.toml
images() { ctr -n k8s.io images "$@"; }
until_done ctr version
if [ ! -e images/loaded ]; then
  for archive in images/*.tar; do images import "$archive" >>log/images.log; done
  while read -r from to; do images tag "$from" "$to" >>log/images.log; done <images/names
  touch images/loaded
fi

until_done kubectl get --raw /readyz
start controllers "$programs/kube-controller-manager" --kubeconfig=admin.conf --service-account-private-key-file=pki/accounts.key --root-ca-file=pki/ca.crt \
  --use-service-account-credentials=true --bind-address=127.0.0.1 --leader-elect=false
start scheduler "$programs/kube-scheduler" --kubeconfig=admin.conf --bind-address=127.0.0.1 --leader-elect=false
start proxy "$programs/kube-proxy" --kubeconfig=admin.conf --hostname-override=node1 --proxy-mode=iptables --cluster-cidr=10.244.0.0/24 \
  --metrics-bind-address=127.0.0.1:10249 --healthz-bind-address=127.0.0.1:10256 --conntrack-max-per-core=0
cat >Corefile <<END
cluster.local:53 in-addr.arpa:53 {
  bind $address
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $root/admin.conf
  }
}
.:53 {
  bind $address
  template ANY ANY {
    rcode NXDOMAIN
  }
}
END
start coredns "$programs/coredns" -conf Corefile
start metrics-server "$programs/metrics-server" --kubeconfig=admin.conf --authentication-kubeconfig=admin.conf --authorization-kubeconfig=admin.conf \
  --bind-address="$address" --secure-port=4443 --cert-dir=/run/metrics-server --kubelet-insecure-tls --kubelet-preferred-address-types=InternalIP \
  --metric-resolution=10s --kubelet-request-timeout=5s

echo "nameserver $address" >resolv.conf
cat >kubelet.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, x509: {clientCAFile: $root/pki/ca.crt}, webhook: {enabled: true}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /$group
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
clusterDomain: cluster.local
clusterDNS: ["$address"]
resolvConf: $root/resolv.conf
volumePluginDir: $root/volume-plugins
address: $address
evictionHard: {}
imageGCHighThresholdPercent: 100
END
start kubelet "$programs/kubelet" --config=kubelet.yaml --kubeconfig=kubelet.conf --hostname-override=node1 --node-ip="$address" --root-dir="$root/kubelet"
kubelet_is_well() { exec 3<>/dev/tcp/127.0.0.1/10248 && printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3 && head -n 1 <&3 | grep -q ' 200 '; }
until (kubelet_is_well) 2>/dev/null; do sleep 0.2; done
touch reached
echo up >>boots
while :; do sleep 3600 & wait || true; done
