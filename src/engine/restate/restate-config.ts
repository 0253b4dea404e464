/** A node of the engine, as its configuration names it. */
interface RestateNodeAddress {
  name: string
  /** Where the other nodes reach it, `host:5122`. */
  address: string
}

interface SnapshotTarget {
  /** `s3://bucket/prefix` */
  destination: string
  /** For a service other than Amazon's. */
  endpoint: string | null
  region: string
}

export interface RestateConfigOptions {
  cluster: string
  node: string
  /** All nodes, this one too; a node that is alone opens no TCP port. */
  nodes: readonly RestateNodeAddress[]
  directory: string
  identityFile: string
  snapshots: SnapshotTarget | null
}

/**
 * The configuration of a node. Ingress and admin listen on unix sockets only: a program that
 * reaches admin can register code. Keep-alive is short, because with the defaults every run stops
 * for up to a minute when a server hangs. A turn that keeps failing is killed, never paused: a
 * paused one would block its run, and the fallback starts it again.
 */
export function restateConfig(options: RestateConfigOptions): string {
  const { cluster, node, nodes, directory, identityFile, snapshots } = options
  const at = nodes.findIndex(({ name }) => name === node)
  const isCluster = nodes.length > 1
  const text = (value: string) => JSON.stringify(value)
  const address = (node: RestateNodeAddress) => text(`http://${node.address}`)
  return `node-name = ${text(node)}
cluster-name = ${text(cluster)}
base-dir = ${text(directory)}
auto-provision = ${at <= 0}
default-num-partitions = 8
default-replication = ${isCluster ? 2 : 1}
${
  isCluster
    ? `force-node-id = ${at + 1}\nbind-address = ${text(nodes[at]!.address)}\nadvertised-address = ${address(nodes[at]!)}`
    : 'listen-mode = "unix"'
}
disable-telemetry = true
rocksdb-total-memory-size = "512.0 MiB"
log-filter = "warn"
log-disable-ansi-codes = true
default-journal-retention = "0s"
default-idempotency-retention = "1h"
shutdown-timeout = "5s"

[default-retry-policy]
initial-interval = "100ms"
exponentiation-factor = 2.0
max-attempts = 50
max-interval = "5s"
on-max-attempts = "kill"

[worker.invoker]
inactivity-timeout = "10s"
abort-timeout = "10s"
connect-timeout = "2s"
http2-keep-alive-interval = "1s"
http2-keep-alive-timeout = "2s"
memory-limit = "128.0 MiB"
request-identity-private-key-pem-file = ${text(identityFile)}

[ingress]
listen-mode = "unix"

[admin]
listen-mode = "unix"
disable-web-ui = true

[admin.query-engine]
memory-size = "64.0 MiB"
${isCluster ? `\n[metadata-client]\naddresses = [${nodes.map(address).join(', ')}]\n` : ''}${snapshots ? snapshotsConfig(snapshots) : ''}`
}

function snapshotsConfig({ destination, endpoint, region }: SnapshotTarget): string {
  const other = `aws-endpoint-url = ${JSON.stringify(endpoint)}\naws-allow-http = ${endpoint?.startsWith('http:')}\n`
  return `
[worker.snapshots]
destination = ${JSON.stringify(destination)}
snapshot-interval-num-records = 10000
aws-region = ${JSON.stringify(region)}
${endpoint === null ? '' : other}`
}
