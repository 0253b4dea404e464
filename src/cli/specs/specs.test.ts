import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { LOADERS } from '../commands/index.js'
import { COMMANDS, type InputOf } from './index.js'

describe('the specs of commands', () => {
  test('give every command its code, and every loader a command', async () => {
    expect(Object.keys(LOADERS).sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
    for (const load of Object.values(LOADERS)) expect((await load()).run).toBeTypeOf('function')
  })

  test('import no code, because --help loads all of them', () => {
    const directory = import.meta.dirname
    for (const file of readdirSync(directory).filter(name => name.endsWith('-commands.ts'))) {
      const imports = readFileSync(join(directory, file), 'utf8').match(/from '[^']+'/g)
      expect(imports, file).toEqual(["from './command-spec.js'"])
    }
  })

  test('type the input of their command', () => {
    type Run = InputOf<'run'>
    expectTypeOf<Run['args']>().toEqualTypeOf<{ file: string }>()
    expectTypeOf<Run['options']['maxCost']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Run['options']['dryRun']>().toEqualTypeOf<string | true | undefined>()
    expectTypeOf<Run['options']['label']>().toEqualTypeOf<string[] | undefined>()
    expectTypeOf<Run['options']['ask']>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<Run['options']['permissions']>().toEqualTypeOf<'read' | 'ask' | 'edits' | 'all' | undefined>()
    expectTypeOf<InputOf<'logs'>['options']['follow']>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<InputOf<'files'>['args']['paths']>().toEqualTypeOf<string[]>()
    expectTypeOf<InputOf<'use'>['args']['id']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<InputOf<'paths'>['args']>().toEqualTypeOf<Record<never, never>>()
  })
})
