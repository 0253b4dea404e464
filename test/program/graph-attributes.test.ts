import type { CallExpression, Node } from 'typescript/unstable/ast'
import { isCallExpression, isStringLiteral } from 'typescript/unstable/ast/is'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES } from '../../src/graph/index.js'
import { CompiledProgram } from './compiled-program.js'

const TABLES = { graph: GRAPH_ATTRIBUTES, node: NODE_ATTRIBUTES, edge: EDGE_ATTRIBUTES }
const NAMES = new Set(Object.values(TABLES).flatMap(table => Object.keys(table)))
/** These only check a graph, or hash what it would run. */
const CHECKS = /^src\/(?:graph\/lint\/(?:agents|attributes|routing|structure)|trust\/)/

let program: CompiledProgram
beforeAll(() => {
  program = new CompiledProgram()
})
afterAll(() => program.close())

test('the program reads every attribute of a graph', () => {
  const read = new Set(
    program
      .files()
      .filter(file => !CHECKS.test(file))
      .flatMap(attributesReadIn),
  )
  const all = Object.values(TABLES).flatMap(table => Object.keys(table))
  const unread = all.filter(name => !read.has(name))
  expect(unread).toEqual([])
})

function attributesReadIn(file: string): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if (isCallExpression(node)) {
      const names = node.arguments.flatMap(one => (isStringLiteral(one) && NAMES.has(one.text) ? [one.text] : []))
      if (names.length > 0 && isRead(node)) found.push(...names)
    }
    node.forEachChild(visit)
  }
  visit(program.file(file))
  return found
}

/** A call of the functions that read attributes, or of `attributes.get`. */
function isRead(call: CallExpression): boolean {
  const declared = program.parametersOf(call)[0]?.getSourceFile().fileName ?? ''
  return (
    /\/src\/graph\/(?:attribute-value|graph)\.ts$/.test(declared) ||
    /\battributes\.get$/.test(call.expression.getText())
  )
}
