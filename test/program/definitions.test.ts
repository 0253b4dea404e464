import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CallExpression, Node } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import type { Type } from 'typescript/unstable/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KNOWN_SETTINGS } from '../../src/config/index.js'
import { EVENT_GROUPS } from '../../src/events/index.js'
import { EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES } from '../../src/graph/index.js'
import { PACKAGE_ROOT } from '../../src/process/index.js'
import { CompiledProgram } from './compiled-program.js'

const EVENTS = new Set<string>(EVENT_GROUPS.flatMap(({ types }) => Object.keys(types)))
const TABLES = { graph: GRAPH_ATTRIBUTES, node: NODE_ATTRIBUTES, edge: EDGE_ATTRIBUTES }
const ATTRIBUTES = new Set(Object.values(TABLES).flatMap(table => Object.keys(table)))
/** These only check a graph, or hash what it would run. */
const CHECKS = /^src\/(?:graph\/lint\/(?:agents|attributes|routing|structure)|trust\/)/

let program: CompiledProgram
beforeAll(() => {
  program = new CompiledProgram()
})
afterAll(() => program.close())

test('the program writes every type of event', () => {
  const written = new Set(program.files().flatMap(eventsWrittenIn))
  expect([...EVENTS].filter(type => !written.has(type))).toEqual([])
})

/** The event types in calls of functions that take a type and the data of that type. */
function eventsWrittenIn(file: string): string[] {
  const calls = callsIn(program.file(file))
  const types = program.checker.getTypeAtLocation(calls.map(call => call.arguments[0]!))
  return calls.flatMap((call, index) => {
    const events = eventTypesOf(types[index])
    return events.length > 0 && takesEventData(call) ? events : []
  })
}

function callsIn(file: Node): CallExpression[] {
  const found: CallExpression[] = []
  const visit = (node: Node): void => {
    if (isCallExpression(node) && node.arguments.length > 1) found.push(node)
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

/** The event types that a value of this type can be; none if it can also be something else. */
function eventTypesOf(type: Type | undefined): string[] {
  const members = type?.isUnionType() ? type.getTypes() : type ? [type] : []
  const names = members.map(member => (member.isStringLiteralType() ? member.value : ''))
  return names.every(name => EVENTS.has(name)) ? names : []
}

function takesEventData(call: CallExpression): boolean {
  return program.parametersOf(call)[1]?.type?.getText().startsWith('EventData<') ?? false
}

test('the program uses the value of every setting', () => {
  const definitions = definedSettings()
  expect([...definitions.keys()].sort()).toEqual(KNOWN_SETTINGS.map(({ pattern }) => pattern).sort())
  const unused = [...definitions].filter(([, name]) => !program.isUsed(name)).map(([key]) => key)
  expect(unused).toEqual([])
})

/** The name of each setting where it is defined, by its key. */
function definedSettings(): Map<string, Node> {
  const names = new Map<string, Node>()
  const visit = (node: Node, path: readonly string[]): void => {
    if (!isPropertyAssignment(node)) return void node.forEachChild(child => visit(child, path))
    const here = [...path, (node.name as Node & { text: string }).text]
    if (isCallExpression(node.initializer)) names.set(here.join('.'), node.name)
    else if (isObjectLiteralExpression(node.initializer)) visit(node.initializer, here)
  }
  for (const file of readdirSync(join(PACKAGE_ROOT, 'src', 'config', 'settings')))
    visit(program.file(`src/config/settings/${file}`), [])
  return names
}

test('the program reads every attribute of a graph', () => {
  const read = new Set(
    program
      .files()
      .filter(file => !CHECKS.test(file))
      .flatMap(attributesReadIn),
  )
  const unread = [...ATTRIBUTES].filter(name => !read.has(name))
  expect(unread).toEqual([])
})

function attributesReadIn(file: string): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if (isCallExpression(node)) {
      const names = node.arguments.flatMap(one => (isStringLiteral(one) && ATTRIBUTES.has(one.text) ? [one.text] : []))
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
