import { edgesFrom, type Graph } from './graph.js'
import { handlerOf } from './handler-of.js'

/**
 * Finds where the branches of a parallel node join: the fan-in node that every branch reaches,
 * nearest by its longest path, then by the sum of path lengths, then by name; without one, the
 * nearest ordinary node that every branch reaches. Paths back through the parallel node do not
 * count.
 */
export function findJoin(graph: Graph, parallel: string): { node: string | null; isAmbiguous: boolean } {
  const branches = [...new Set(edgesFrom(graph, parallel).map(edge => edge.to))]
  if (branches.length === 0) return { node: null, isAmbiguous: false }
  const distances = branches.map(branch => distancesFrom(graph, branch, parallel))
  const common = [...graph.nodes.keys()].filter(id => id !== parallel && distances.every(reached => reached.has(id)))
  const fanIns = common.filter(id => handlerOf(graph.nodes.get(id)!) === 'parallel.fan_in')
  const node = nearestOf(fanIns.length > 0 ? fanIns : common, distances)
  const firsts = new Set(
    distances.map(reached => {
      const reachable = [...reached.keys()].filter(id => handlerOf(graph.nodes.get(id)!) === 'parallel.fan_in')
      return reachable.sort((a, b) => reached.get(a)! - reached.get(b)! || compare(a, b))[0] ?? null
    }),
  )
  return { node, isAmbiguous: node !== null && fanIns.length > 0 && firsts.size > 1 }
}

function nearestOf(candidates: readonly string[], distances: readonly Map<string, number>[]): string | null {
  const cost = (id: string) => {
    const ways = distances.map(reached => reached.get(id)!)
    return { longest: Math.max(...ways), total: ways.reduce((sum, way) => sum + way, 0) }
  }
  const ranked = candidates.map(id => ({ id, ...cost(id) }))
  ranked.sort((a, b) => a.longest - b.longest || a.total - b.total || compare(a.id, b.id))
  return ranked[0]?.id ?? null
}

function distancesFrom(graph: Graph, start: string, without: string): Map<string, number> {
  const next = new Map<string, string[]>()
  for (const { from, to } of graph.edges) {
    if (from === without || to === without) continue
    const known = next.get(from)
    if (known) known.push(to)
    else next.set(from, [to])
  }
  const reached = new Map([[start, 0]])
  const open = [start]
  for (let at = 0; at < open.length; at++) {
    for (const to of next.get(open[at]!) ?? []) {
      if (reached.has(to) || !graph.nodes.has(to)) continue
      reached.set(to, reached.get(open[at]!)! + 1)
      open.push(to)
    }
  }
  return reached
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
