/** Returns the 95th percentile. */
export function printTimes(name: string, times: readonly number[]): number {
  const ms = [...times].sort((a, b) => a - b)
  const at = (share: number) => (ms[Math.floor(ms.length * share)] ?? 0).toFixed(0)
  console.log(
    `${name.padEnd(17)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, most ${at(0.9999)} ms (${ms.length})`,
  )
  return ms[Math.floor(ms.length * 0.95)] ?? 0
}
