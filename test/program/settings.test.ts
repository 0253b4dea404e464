import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from 'typescript/unstable/ast'
import { isCallExpression, isObjectLiteralExpression, isPropertyAssignment } from 'typescript/unstable/ast/is'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KNOWN_SETTINGS } from '../../src/config/index.js'
import { PACKAGE_ROOT } from '../../src/process/index.js'
import { CompiledProgram } from './compiled-program.js'

let program: CompiledProgram
beforeAll(() => {
  program = new CompiledProgram()
})
afterAll(() => program.close())

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
