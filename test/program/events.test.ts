import type { CallExpression, Node } from 'typescript/unstable/ast'
import { isCallExpression } from 'typescript/unstable/ast/is'
import type { Type } from 'typescript/unstable/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENT_GROUPS } from '../../src/events/index.js'
import { CompiledProgram } from './compiled-program.js'

const KNOWN = new Set<string>(EVENT_GROUPS.flatMap(({ types }) => Object.keys(types)))

let program: CompiledProgram
beforeAll(() => {
  program = new CompiledProgram()
})
afterAll(() => program.close())

test('the program writes every type of event', () => {
  const written = new Set(program.files().flatMap(eventsWrittenIn))
  expect([...KNOWN].filter(type => !written.has(type))).toEqual([])
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
  return names.every(name => KNOWN.has(name)) ? names : []
}

function takesEventData(call: CallExpression): boolean {
  return program.parametersOf(call)[1]?.type?.getText().startsWith('EventData<') ?? false
}
