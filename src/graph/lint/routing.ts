import { closestMatch } from '../../text/index.js'
import { GRAPH_ATTRIBUTES, NODE_ATTRIBUTES } from '../attribute-table.js'
import { AttributeReader } from '../attribute-value.js'
import { clausesOf, parseCondition } from '../condition.js'
import { bareKey, isSetByEngine } from '../context-keys.js'
import { acceleratorOf, gateOptions, optionEdges, takesText } from '../gate-options.js'
import { edgesFrom, type Graph, type GraphEdge, type GraphNode, textOf } from '../graph.js'
import { handlerOf } from '../handler-of.js'
import { isStatus, STATUSES } from '../outcome-words.js'
import { normaliseLabel } from '../select-edge.js'
import { isExit, isTerminal } from '../terminals.js'
import { type Diagnostic, type LintRule, reporter } from './diagnostic.js'

const TARGETS = ['retry_target', 'fallback_retry_target'] as const

function conditionOf(edge: GraphEdge): string {
  return (textOf(edge.attributes, 'condition') ?? '').trim()
}

export const retryTargetExists: LintRule = graph => {
  const report = reporter(graph, 'retry_target_exists', 'warning')
  const look = (owner: { attributes: GraphNode['attributes']; node?: string }): Diagnostic[] =>
    TARGETS.flatMap(key => {
      const target = owner.attributes.get(key)
      if (!target || graph.nodes.has(target.value)) return []
      return [
        report(`${key} names an unknown node "${target.value}"`, {
          position: target.position,
          ...(owner.node !== undefined && { node: owner.node }),
        }),
      ]
    })
  return [
    ...look(graph),
    ...[...graph.nodes.values()].flatMap(node => look({ attributes: node.attributes, node: node.id })),
  ]
}

export const retryTargetTerminal: LintRule = graph => {
  const report = reporter(graph, 'retry_target_terminal', 'error')
  const owners = [{ attributes: graph.attributes, id: undefined }, ...graph.nodes.values()]
  return owners.flatMap(({ attributes, id }) =>
    TARGETS.flatMap(key => {
      const target = attributes.get(key)
      const node = target && graph.nodes.get(target.value)
      if (!target || !node || !isTerminal(graph, node)) return []
      return [
        report(`${key} names the exit node "${target.value}": the run would loop forever`, {
          position: target.position,
          ...(id !== undefined && { node: id }),
        }),
      ]
    }),
  )
}

export const goalRules: LintRule = graph => {
  const hasRetry = reporter(graph, 'goal_gate_has_retry', 'warning')
  const skips = reporter(graph, 'retry_skips_goal', 'warning')
  return [...graph.nodes.values()].flatMap(node => {
    const gate = new AttributeReader(node.attributes, NODE_ATTRIBUTES).text('goal_gate')
    if (gate !== 'true' && gate !== 'visited') return []
    const target = [node.attributes, graph.attributes]
      .flatMap(attributes => TARGETS.map(key => textOf(attributes, key)))
      .find(id => id !== null && graph.nodes.has(id))
    if (!target)
      return [
        hasRetry(`"${node.id}" is a goal without a retry target: the run fails if it is unmet`, {
          position: node.position,
          node: node.id,
          fix: 'add retry_target=…',
        }),
      ]
    if (!reaches(graph, target, node.id))
      return [
        skips(`"${node.id}" cannot be reached from its retry target "${target}"`, {
          position: node.position,
          node: node.id,
        }),
      ]
    return []
  })
}

function reaches(graph: Graph, from: string, to: string): boolean {
  const seen = new Set([from])
  const open = [from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true
    for (const edge of edgesFrom(graph, id)) {
      if (seen.has(edge.to)) continue
      seen.add(edge.to)
      open.push(edge.to)
    }
  }
  return false
}

export const deadEdge: LintRule = graph => {
  const report = reporter(graph, 'dead_edge', 'warning')
  return [...graph.nodes.values()].flatMap(node => {
    const handler = handlerOf(node)
    const edges = edgesFrom(graph, node.id)
    const seen = new Map<string, GraphEdge>()
    const routes = handler === 'wait.human' ? [] : edges
    const twice = routes.filter(edge => {
      const condition = conditionOf(edge)
      if (condition === '') return false
      const isKnown = seen.has(condition)
      seen.set(condition, edge)
      return isKnown
    })
    const dead = twice.map(edge =>
      report(`another edge of "${node.id}" has the same condition`, { position: edge.position, edge: edge.id }),
    )
    // At a gate every edge is an option, and at a parallel node every edge is a branch.
    if (['wait.human', 'parallel', 'conditional'].includes(handler)) return dead
    const plain = edges.filter(edge => conditionOf(edge) === '')
    const silent = plain.filter(edge => (textOf(edge.attributes, 'label') ?? '') === '')
    const best = silent.length > 1 ? [...silent].sort(byPrecedence)[0] : undefined
    const never = best ? silent.filter(edge => edge !== best && edge.to === best.to) : []
    return [
      ...dead,
      ...never.map(edge =>
        report(`the edge ${edge.id} can never be followed`, { position: edge.position, edge: edge.id }),
      ),
    ]
  })
}

function byPrecedence(a: GraphEdge, b: GraphEdge): number {
  const weight = (edge: GraphEdge) => Number(textOf(edge.attributes, 'weight') ?? 0) || 0
  return weight(b) - weight(a) || (a.to < b.to ? -1 : a.to > b.to ? 1 : 0)
}

export const noFallback: LintRule = graph => {
  const report = reporter(graph, 'no_fallback', 'warning')
  return [...graph.nodes.values()].flatMap(node => {
    const edges = edgesFrom(graph, node.id)
    if (edges.length === 0 || edges.some(edge => conditionOf(edge) === '')) return []
    if (handlerOf(node) === 'wait.human' && gateOptions(graph, node, {}).length > 0) return []
    const words = edges.map(edge => conditionOf(edge).replace(/\s/g, ''))
    const covers = edges.some(coversSuccess)
    const both = edges.some((edge, index) =>
      words.some((other, at) => at !== index && areOpposite(conditionOf(edge), other)),
    )
    if (covers || both) return []
    return [
      report(`every edge of "${node.id}" has a condition, and success may satisfy none of them`, {
        position: node.position,
        node: node.id,
        fix: 'add an edge without a condition',
      }),
    ]
  })
}

/** Whether success alone makes the condition of an edge true. */
function coversSuccess(edge: GraphEdge): boolean {
  const parsed = parseCondition(conditionOf(edge))
  if ('problem' in parsed) return false
  return parsed.condition.alternatives.some(clauses =>
    clauses.every(
      ({ key, operator, literal }) =>
        key === 'outcome' && (operator === '=' ? literal === 'success' : operator === '!=' && literal !== 'success'),
    ),
  )
}

/** `a=x` and `a!=x`, `a=true` and `a=false`, or `a<1` and `a>=1`. */
function areOpposite(condition: string, squeezed: string): boolean {
  const own = condition.replace(/\s/g, '')
  const flipped = own.includes('!=') ? own.replace('!=', '=') : own.replace('=', '!=')
  if (flipped === squeezed) return true
  if (own.replace('<', '>=') === squeezed || own.replace('<=', '>') === squeezed) return own !== squeezed
  return own.replace(/=true$/, '=false') === squeezed && own !== squeezed
}

export const noFailureRoute: LintRule = (graph, { handlers }) => {
  const report = reporter(graph, 'no_failure_route', 'info')
  return [...graph.nodes.values()]
    .filter(
      node =>
        ['codergen', 'tool', 'prompt'].includes(handlerOf(node, handlers)) &&
        !isExit(node) &&
        node.id.toLowerCase() !== 'start',
    )
    .filter(node => {
      const edges = edgesFrom(graph, node.id)
      const hasTarget = TARGETS.some(key => textOf(node.attributes, key) !== null)
      const hasDiamond = edges.some(
        edge =>
          conditionOf(edge) === '' &&
          graph.nodes.has(edge.to) &&
          handlerOf(graph.nodes.get(edge.to)!) === 'conditional',
      )
      const hasCondition = edges.some(edge =>
        /outcome\s*(=\s*fail|!=\s*succe)|outcome\s*=\s*retry/.test(conditionOf(edge)),
      )
      return !hasTarget && !hasDiamond && !hasCondition
    })
    .map(node =>
      report(`a failure of "${node.id}" ends the run`, {
        position: node.position,
        node: node.id,
        fix: 'add an edge with condition="outcome=fail", or retry_target=…',
      }),
    )
}

export const cycleUnbounded: LintRule = graph => {
  const report = reporter(graph, 'cycle_unbounded', 'warning')
  const standard = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES).number('max_node_visits') ?? 50
  return cycles(graph).flatMap(members => {
    const edges = [...members].flatMap(id => edgesFrom(graph, id))
    const isLeft = edges.some(edge => !members.has(edge.to))
    const isBound =
      (isLeft && edges.some(edge => conditionOf(edge) !== '')) ||
      [...members].some(id => {
        const node = graph.nodes.get(id)!
        const visits = new AttributeReader(node.attributes, NODE_ATTRIBUTES).number('max_visits')
        return (
          ['wait.human', 'conditional'].includes(handlerOf(node)) ||
          (visits !== null && visits > 0 && visits < standard)
        )
      })
    if (isBound) return []
    const first = graph.nodes.get([...members][0]!)!
    return [
      report(`the cycle ${[...members].join(' → ')} has no limit`, {
        position: first.position,
        node: first.id,
        fix: 'add a condition, a gate, or max_visits',
      }),
    ]
  })
}

/**
 * Strongly connected components with more than one node or a self-loop. Iterative, and by index:
 * paths may be long.
 */
function cycles(graph: Graph): Set<string>[] {
  const ids = [...graph.nodes.keys()]
  const number = new Map(ids.map((id, at) => [id, at]))
  const next: number[][] = ids.map(() => [])
  for (const edge of graph.edges) {
    const [from, to] = [number.get(edge.from), number.get(edge.to)]
    if (from !== undefined && to !== undefined) next[from]!.push(to)
  }
  const index = new Int32Array(ids.length).fill(-1)
  const low = new Int32Array(ids.length)
  const tried = new Int32Array(ids.length)
  const onStack = new Uint8Array(ids.length)
  const stack: number[] = []
  const found: Set<string>[] = []
  let count = 0
  for (let root = 0; root < ids.length; root++) {
    if (index[root] !== -1) continue
    const work = [root]
    while (work.length > 0) {
      const at = work[work.length - 1]!
      if (index[at] === -1) {
        index[at] = low[at] = count++
        stack.push(at)
        onStack[at] = 1
      }
      const to = next[at]![tried[at]!]
      if (to !== undefined) {
        tried[at]!++
        if (index[to] === -1) work.push(to)
        else if (onStack[to] === 1) low[at] = Math.min(low[at]!, index[to]!)
        continue
      }
      work.pop()
      const parent = work[work.length - 1]
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[at]!)
      if (low[at] !== index[at]) continue
      const members = new Set<string>()
      for (let member = stack.pop()!; ; member = stack.pop()!) {
        onStack[member] = 0
        members.add(ids[member]!)
        if (member === at) break
      }
      if (members.size > 1 || next[at]!.includes(at)) found.push(members)
    }
  }
  return found
}

export const conditionKeys: LintRule = (graph, { handlers }) => {
  const never = reporter(graph, 'key_never_set', 'info')
  const word = reporter(graph, 'outcome_word', 'info')
  const impossible = reporter(graph, 'outcome_never', 'error')
  const texts = [...graph.nodes.values()].map(node => textOf(node.attributes, 'prompt', 'llm_prompt') ?? '').join('\n')
  const inputs = new Set((textOf(graph.attributes, 'inputs') ?? '').split(/[\s,]+/))
  return graph.edges.flatMap(edge => {
    const parsed = parseCondition(conditionOf(edge))
    if ('problem' in parsed) return []
    return clausesOf(parsed.condition).flatMap(({ key, operator, literal }) => {
      const at = { position: edge.attributes.get('condition')?.position ?? edge.position, edge: edge.id }
      if (key === 'outcome') {
        if (operator === 'is' || literal === '' || isStatus(literal)) return []
        const handler = handlerOf(graph.nodes.get(edge.from)!, handlers)
        if (operator === '=' && FIXED_OUTCOMES.has(handler)) {
          const close = closestMatch(literal, STATUSES)
          const fix = close ? `did you mean "${close}"?` : `write one of ${STATUSES.join(', ')}`
          return [impossible(`"${edge.from}" never ends with the outcome "${literal}"`, { ...at, fix })]
        }
        return [word(`"${literal}" is not a status: the node must report it as its outcome`, at)]
      }
      const bare = bareKey(key)
      const isKnown = isSetByEngine(key) || inputs.has(bare) || texts.includes(bare)
      return isKnown ? [] : [never(`no node in this graph sets or mentions "${bare}"`, at)]
    })
  })
}

/** Handlers that report no outcome words of their own: a condition on one is never true. */
const FIXED_OUTCOMES = new Set(['start', 'tool', 'wait', 'parallel', 'pipeline', 'stack.manager_loop'])

export const gateLabels: LintRule = graph => {
  const report = reporter(graph, 'gate_labels', 'warning')
  return [...graph.nodes.values()].flatMap(node => {
    if (handlerOf(node) !== 'wait.human') return []
    const options = optionEdges(graph, node)
    const labels = gateOptions(graph, node)
    const bare = options.filter(
      (edge, index) => (textOf(edge.attributes, 'label') ?? '') === '' && labels[index]!.label === edge.to,
    )
    const found =
      bare.length > 0 && options.length > 1
        ? bare.map(edge =>
            report(`an option of "${node.id}" has no label; people will see "${edge.to}"`, {
              position: edge.position,
              edge: edge.id,
            }),
          )
        : []
    const keys = new Map<string, GraphEdge>()
    for (const edge of options) {
      const accelerator = acceleratorOf(edge)
      if (accelerator === null) continue
      if (keys.has(accelerator))
        found.push(
          report(`two options of "${node.id}" have the key "${accelerator}"`, {
            position: edge.position,
            edge: edge.id,
          }),
        )
      keys.set(accelerator, edge)
    }
    const shown = labels.map(({ label }) => normaliseLabel(label))
    if (bare.length < 2 && new Set(shown).size < shown.length)
      found.push(report(`two options of "${node.id}" have the same label`, { position: node.position, node: node.id }))
    return found
  })
}

export const gateAnswerable: LintRule = graph => {
  const report = reporter(graph, 'gate_options', 'error')
  return [...graph.nodes.values()]
    .filter(node => handlerOf(node) === 'wait.human')
    .filter(node => optionEdges(graph, node).length === 0 && !takesText(graph, node))
    .map(node =>
      report(`"${node.id}" has no option that a person could choose`, {
        position: node.position,
        node: node.id,
        fix: 'add an edge with a label, an edge with freeform=true, or human.type=freeform',
      }),
    )
}
