import { closestMatch } from '../../text/index.js'
import {
  type AttributeSpec,
  DRAWING_ATTRIBUTES,
  EDGE_ATTRIBUTES,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
} from '../attribute-table.js'
import { valueProblem } from '../attribute-value.js'
import { parseCondition } from '../condition.js'
import { type Attribute, type Attributes, type Graph, type Position, textOf } from '../graph.js'
import { handlerOf, handlerOfType, SHAPE_HANDLERS } from '../handler-of.js'
import { parseStylesheet } from '../stylesheet.js'
import { type Diagnostic, type LintRule, reporter } from './diagnostic.js'

interface Owner {
  attributes: Attributes
  table: Readonly<Record<string, AttributeSpec>>
  node?: string
  edge?: string
}

function owners(graph: Graph): Owner[] {
  return [
    { attributes: graph.attributes, table: GRAPH_ATTRIBUTES },
    ...[...graph.nodes.values()].map(({ id, attributes }) => ({ attributes, table: NODE_ATTRIBUTES, node: id })),
    ...graph.edges.map(({ id, attributes }) => ({ attributes, table: EDGE_ATTRIBUTES, edge: id })),
  ]
}

/** The entry of a key or of one of its aliases. */
function specOf(table: Owner['table'], key: string): AttributeSpec | undefined {
  let known = SPECS.get(table)
  if (!known) {
    known = new Map(Object.entries(table))
    for (const spec of Object.values(table)) for (const alias of spec.aliases ?? []) known.set(alias, spec)
    SPECS.set(table, known)
  }
  return known.get(key)
}

/** Table entries by every name and alias. */
const SPECS = new WeakMap<Owner['table'], Map<string, AttributeSpec>>()

/** Invalid values, each reported under the rule for its type. */
export const attributeTypes: LintRule = graph => {
  const rules = {
    attribute_type: reporter(graph, 'attribute_type', 'error'),
    fidelity_valid: reporter(graph, 'fidelity_valid', 'warning'),
    retry_policy_known: reporter(graph, 'retry_policy_known', 'warning'),
    join_policy_known: reporter(graph, 'join_policy_known', 'error'),
  }
  return owners(graph).flatMap(({ attributes, table, node, edge }) =>
    [...attributes].flatMap(([key, { value, position, origin }]) => {
      const spec = specOf(table, key)
      // Defaults are reported once, at the first node or edge that has them.
      if (!spec || spec.type.is === 'condition' || origin === 'stylesheet') return []
      const problem = valueProblem(value, spec.type)
      if (problem === null) return []
      const rule =
        spec.type.is === 'fidelity'
          ? 'fidelity_valid'
          : key === 'retry_policy'
            ? 'retry_policy_known'
            : key === 'join_policy'
              ? 'join_policy_known'
              : 'attribute_type'
      return [
        rules[rule](`${key}: ${problem}`, {
          position,
          ...(node !== undefined && { node }),
          ...(edge !== undefined && { edge }),
        }),
      ]
    }),
  )
}

export const attributeUnknown: LintRule = graph => {
  const report = reporter(graph, 'attribute_unknown', 'info')
  return owners(graph).flatMap(({ attributes, table, node, edge }) =>
    [...attributes].flatMap(([key, { position }]) => {
      // `var.x` of a node gives its child run the input x.
      const isInput = table === NODE_ATTRIBUTES && key.startsWith('var.')
      if (specOf(table, key) || isInput || DRAWING_ATTRIBUTES.has(key)) return []
      const close = closestMatch(key, Object.keys(table))
      return [
        report(`unknown attribute "${key}"`, {
          position,
          ...(node !== undefined && { node }),
          ...(edge !== undefined && { edge }),
          ...(close !== null && close !== undefined && { fix: `did you mean "${close}"?` }),
        }),
      ]
    }),
  )
}

export const conditionSyntax: LintRule = graph => {
  const report = reporter(graph, 'condition_syntax', 'error')
  const extended = reporter(graph, 'condition_extended', 'info')
  const conditions: { attribute: Attribute; node?: string; edge?: string }[] = []
  const add = (attribute: Attribute | undefined, owner: { node?: string; edge?: string }) => {
    if (attribute) conditions.push({ attribute, ...owner })
  }
  add(graph.attributes.get('goal_condition'), {})
  for (const node of graph.nodes.values()) add(node.attributes.get('manager.stop_condition'), { node: node.id })
  for (const edge of graph.edges) add(edge.attributes.get('condition'), { edge: edge.id })
  return conditions.flatMap(({ attribute, ...owner }) => {
    const parsed = parseCondition(attribute.value)
    if (!('problem' in parsed)) {
      const [first] = parsed.condition.extensions
      if (!first) return []
      const fix = first.operator === '||' ? 'write two edges' : 'let a node report a word, and compare it with ='
      return [
        extended(`"${first.operator}" is an extension: the strict condition language has only =, != and &&`, {
          position: positionInside(attribute, first.at),
          ...owner,
          fix,
        }),
      ]
    }
    const { message, hint, at } = parsed.problem
    return [report(`${message}; ${hint}`, { position: positionInside(attribute, at), ...owner, fix: hint })]
  })
}

export const stylesheetSyntax: LintRule = graph => {
  const sheet = graph.attributes.get('model_stylesheet')
  if (!sheet) return []
  const report = reporter(graph, 'stylesheet_syntax', 'error')
  return parseStylesheet(sheet.value).problems.map(({ message, at }) =>
    report(message, { position: positionInside(sheet, at) }),
  )
}

/**
 * The position of a character inside a value, as far as it can be known: escapes before it on its
 * line shift it.
 */
export function positionInside({ value, position, isQuoted }: Attribute, at: number): Position | null {
  if (!position) return null
  const before = value.slice(0, at)
  const lines = before.split('\n')
  const column = lines.length > 1 ? lines.at(-1)!.length + 1 : position.column + (isQuoted ? 1 : 0) + before.length
  return { line: position.line + lines.length - 1, column }
}

export const typeKnown: LintRule = (graph, { handlers }) => {
  const report = reporter(graph, 'type_known', 'warning')
  return [...graph.nodes.values()].flatMap(node => {
    const attribute = node.attributes.get('type') ?? node.attributes.get('node_type')
    if (!attribute || handlerOfType(attribute.value, handlers) !== null) return []
    const close = closestMatch(attribute.value, [...handlers])
    const falls = `it runs as ${handlerOf(node, handlers)}`
    return [
      report(`unknown handler "${attribute.value}"; ${falls}`, {
        position: attribute.position,
        node: node.id,
        ...(close && { fix: `did you mean "${close}"?` }),
      }),
    ]
  })
}

export const shapeKnown: LintRule = graph => {
  const report = reporter(graph, 'shape_known', 'info')
  return [...graph.nodes.values()].flatMap(node => {
    const shape = node.attributes.get('shape')
    if (!shape || Object.hasOwn(SHAPE_HANDLERS, shape.value) || node.attributes.has('type')) return []
    return [
      report(`the shape "${shape.value}" selects no handler; the node runs as codergen`, {
        position: shape.position,
        node: node.id,
      }),
    ]
  })
}

export const promptFile: LintRule = (graph, { promptFile: look }) => {
  if (!look) return []
  const report = reporter(graph, 'prompt_file', 'error')
  const found: Diagnostic[] = []
  for (const node of graph.nodes.values()) {
    const attribute = node.attributes.get('prompt') ?? node.attributes.get('llm_prompt')
    if (!attribute?.value.startsWith('@')) continue
    const path = attribute.value.slice(1)
    const state = look(path)
    if (state === 'missing')
      found.push(report(`the prompt file ${path} does not exist`, { position: attribute.position, node: node.id }))
    if (state === 'outside')
      found.push(
        report(`the prompt file ${path} is outside the repository`, { position: attribute.position, node: node.id }),
      )
  }
  return found
}

export const promptOnLlmNodes: LintRule = (graph, { handlers }) => {
  const report = reporter(graph, 'prompt_on_llm_nodes', 'warning')
  return [...graph.nodes.values()]
    .filter(node => ['codergen', 'prompt'].includes(handlerOf(node, handlers)))
    .filter(
      node => textOf(node.attributes, 'prompt', 'llm_prompt') === null && textOf(node.attributes, 'label') === null,
    )
    .filter(node => !['start', 'exit', 'end'].includes(node.id.toLowerCase()))
    .map(node =>
      report(`"${node.id}" has neither a prompt nor a label`, {
        position: node.position,
        node: node.id,
        fix: 'add prompt="…"',
      }),
    )
}

export const threadNeedsFull: LintRule = graph => {
  const report = reporter(graph, 'thread_needs_full', 'warning')
  return [...graph.nodes.values()].flatMap(node => {
    const thread = node.attributes.get('thread_id')
    if (!thread) return []
    const fidelity =
      textOf(node.attributes, 'fidelity') ?? textOf(graph.attributes, 'default_fidelity', 'context_fidelity_default')
    const isFull =
      fidelity === 'full' ||
      graph.edges.some(edge => edge.to === node.id && textOf(edge.attributes, 'fidelity') === 'full')
    return isFull
      ? []
      : [
          report(`"${node.id}" has a thread, but not fidelity=full`, {
            position: thread.position,
            node: node.id,
            fix: 'add fidelity=full',
          }),
        ]
  })
}
