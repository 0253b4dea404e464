// Makes mutants of a source file: small faults that a test should notice. All mutants of a file are
// in the instrumented text at the same time, each behind `__mutant(id)`, so that they are compiled
// once and chosen while the program runs.
import { parseAst } from 'rolldown/parseAst'

const SWAPPED_OPERATORS = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}
const SWAPPED_METHODS = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  find: 'findLast',
  findLast: 'find',
  findIndex: 'findLastIndex',
  indexOf: 'lastIndexOf',
}
/** Calls whose result can be left as it was. */
const DROPPED_METHODS = new Set(['filter', 'trim', 'slice', 'toLowerCase', 'reverse', 'sort', 'toSorted', 'flat'])
/** Positions whose text is a name or a type, not a value. */
const NO_VALUES = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ImportExpression', 'TemplateElement'])

/** @returns {{ text: string, mutants: { id: number, line: number, what: string }[] }} */
export function instrument(source, { firstId, isTable }) {
  const program = parseAst(source, { lang: 'ts' })
  const mutants = []
  const lineOf = offset => source.slice(0, offset).split('\n').length
  const add = (node, what) => {
    const id = firstId + mutants.length
    mutants.push({ id, line: lineOf(node.start), what })
    return id
  }
  const raw = node => source.slice(node.start, node.end)
  /** States of the table in this file: a row gets another one of them as its target. */
  const states = isTable ? statesOf(program) : []

  /** The text of a node with all mutants inside its parts. */
  const emit = node =>
    splice(
      node,
      children(node).map(child => ({ child, text: write(child) })),
    )
  const splice = (node, inner) => {
    let text = ''
    let at = node.start
    for (const { child, text: changed } of inner.sort((a, b) => a.child.start - b.child.start)) {
      text += source.slice(at, child.start) + changed
      at = child.end
    }
    return text + source.slice(at, node.end)
  }
  const choose = (node, original, options) =>
    options.reduceRight((rest, [what, text]) => `(__mutant(${add(node, what)}) ? ${text} : ${rest})`, original)

  const write = node => {
    if (node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type)) return raw(node)
    if (NO_VALUES.has(node.type)) return raw(node)
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') return replacedTest(node)
    const text = emit(node)
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const other = SWAPPED_OPERATORS[node.operator]
        if (!other || (node.operator === '+' && hasText(node))) return text
        const [left, right] = [raw(node.left), raw(node.right)]
        return choose(node, `(${text})`, [[`${node.operator} → ${other}`, `((${left}) ${other} (${right}))`]])
      }
      case 'UnaryExpression':
        return node.operator === '!' ? choose(node, text, [['! removed', `!!(${raw(node.argument)})`]]) : text
      case 'Literal':
        if (typeof node.value === 'boolean')
          return choose(node, text, [[`${node.value} → ${!node.value}`, `${!node.value}`]])
        if (node.regex) return choose(node, text, regexMutants(node))
        return text
      case 'ArrayExpression':
        return writeArray(node, text)
      case 'CallExpression':
        return writeCall(node, text)
      case 'ExpressionStatement':
        return ['CallExpression', 'AssignmentExpression', 'AwaitExpression'].includes(node.expression.type)
          ? // In a block: an `else` behind this statement belongs to the `if` before it.
            `{ if (!__mutant(${add(node, 'statement removed')})) { ${text} } }`
          : text
      default:
        return text
    }
  }

  const replacedTest = node => {
    const test = `(__mutant(${add(node.test, 'condition → true')}) ? true : __mutant(${add(node.test, 'condition → false')}) ? false : ${write(node.test)})`
    const rest = children(node)
      .filter(child => child !== node.test)
      .map(child => ({ child, text: write(child) }))
    return splice(node, [...rest, { child: node.test, text: test }])
  }

  const writeCall = (node, text) => {
    const { callee } = node
    if (callee.type !== 'MemberExpression' || callee.computed || callee.optional) return text
    const name = callee.property.name
    if (SWAPPED_METHODS[name] && !/\?\./.test(raw(callee))) {
      const args = source.slice(callee.property.end, node.end)
      const changed = `${raw(callee.object)}.${SWAPPED_METHODS[name]}${args}`
      return choose(node, text, [[`.${name} → .${SWAPPED_METHODS[name]}`, changed]])
    }
    if (DROPPED_METHODS.has(name)) return choose(node, text, [[`.${name}() removed`, raw(callee.object)]])
    return text
  }

  const writeArray = (node, text) => {
    const { elements } = node
    if (elements.some(element => !element || element.type === 'SpreadElement')) return text
    const options = []
    // A row of a table: [state, event, target, …].
    const [, , target] = elements
    if (
      states.length > 1 &&
      elements.length >= 3 &&
      target.type === 'Literal' &&
      (target.value === '=' || states.includes(target.value))
    ) {
      const other = states[(states.indexOf(target.value) + 1) % states.length]
      const parts = elements.map(element => (element === target ? JSON.stringify(other) : raw(element)))
      options.push([`target ${target.value} → ${other}`, `[${parts.join(', ')}]`])
    }
    const isList = elements.length > 1 && (!isTable || elements.every(isRow) || elements.every(isText))
    if (isList && elements.length <= 200 && !(isTable && isDeclaration(node)))
      for (const [index, element] of elements.entries()) {
        const left = elements.filter((_, at) => at !== index).map(raw)
        options.push([`without ${raw(element).split('\n')[0].slice(0, 60)}`, `[${left.join(', ')}]`])
      }
    return choose(node, text, options)
  }
  /** Names that a table declares: without one of them it does not load. */
  const isDeclaration = node => declared.has(node)
  const declared = isTable ? declarations(program) : new Set()

  return { text: write(program), mutants }
}

const VALUE_WRAPPERS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
const isRow = element => ['ArrayExpression', 'ObjectExpression', 'CallExpression'].includes(element.type)
const isText = element => element.type === 'Literal' && typeof element.value === 'string'

function regexMutants({ regex: { pattern, flags } }) {
  const options = [['expression → never', '/(?!)/']]
  if (pattern.startsWith('^')) options.push(['^ removed', `/${pattern.slice(1) || '(?:)'}/${flags}`])
  if (/[^\\]\$$/.test(pattern)) options.push(['$ removed', `/${pattern.slice(0, -1)}/${flags}`])
  return options
}

function hasText(node) {
  return [node.left, node.right].some(
    side =>
      side.type === 'TemplateLiteral' ||
      (side.type === 'Literal' && typeof side.value === 'string') ||
      (side.type === 'BinaryExpression' && hasText(side)),
  )
}

function children(node) {
  const found = []
  for (const [key, value] of Object.entries(node)) {
    if (
      key === 'parent' ||
      key === 'typeAnnotation' ||
      key === 'typeArguments' ||
      key === 'typeParameters' ||
      key === 'returnType'
    )
      continue
    // The name of a property is not a value.
    if (key === 'key' && !node.computed) continue
    for (const one of Array.isArray(value) ? value : [value])
      if (one && typeof one.type === 'string' && typeof one.start === 'number') found.push(one)
  }
  // `{ name }` has the same node as key and value.
  return found.filter(
    (one, index) =>
      found.findIndex(other => other.start === one.start && other.end === one.end) === index &&
      !(node.type === 'Property' && node.shorthand),
  )
}

function* walk(node) {
  yield node
  for (const child of children(node)) yield* walk(child)
}

function property(node, name) {
  return node.properties?.find(one => one.key?.name === name)?.value
}

function statesOf(program) {
  for (const node of walk(program)) {
    const states = node.type === 'ObjectExpression' && property(node, 'rows') ? property(node, 'states') : null
    if (states?.elements) return states.elements.map(({ value }) => value)
  }
  return []
}

function declarations(program) {
  const found = new Set()
  for (const node of walk(program))
    if (node.type === 'ObjectExpression' && property(node, 'rows'))
      for (const name of ['states', 'events']) if (property(node, name)) found.add(property(node, name))
  return found
}
