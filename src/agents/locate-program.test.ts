import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { locateProgram } from './locate-program.js'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-locate-')))
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function program(path: string, text = '#!/bin/sh\n'): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}

function link(path: string, target: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(target, file)
  return file
}

function look(
  options: { path?: string[]; cwd?: string; command?: string | null; home?: string; installed?: string[] } = {},
) {
  const { path = ['bin'], cwd = 'project', command = null, home = 'home', installed = [] } = options
  for (const each of [cwd, home]) mkdirSync(join(root, each), { recursive: true })
  const env = { PATH: path.map(each => join(root, each)).join(':'), HOME: join(root, home) }
  return locateProgram(['tool'], { env, cwd: join(root, cwd), configuredCommand: command }, installed)
}

describe('locateProgram', () => {
  test('prefers the configured command, then PATH, then the installer’s directory', () => {
    const installed = program('home/.tool/tool')
    expect(look({ installed: ['~/.tool/tool'] })).toMatchObject({ file: installed })
    const inPath = program('bin/tool')
    expect(look({ installed: ['~/.tool/tool'] })).toMatchObject({ file: inPath })
    const configured = program('home/own/tool')
    expect(look({ command: configured })).toMatchObject({ file: configured })
    expect(look({ command: '~/own/tool' })).toMatchObject({ file: configured })
    expect(look({ command: 'tool' })).toMatchObject({ file: inPath })
  })

  test('lists where it searched if nothing is found', () => {
    expect(look({ installed: ['~/x/tool'] })).toEqual({ found: false, looked: 'tool, ~/x/tool' })
    program('bin/tool')
    expect(look({ command: 'other' })).toEqual({ found: false, looked: 'other' })
    program('project/own/tool')
    expect(look({ command: 'own/tool' })).toEqual({ found: false, looked: expect.stringContaining('absolute path') })
  })

  test('takes no program from the project, not even through PATH', () => {
    program('project/node_modules/.bin/tool')
    symlinkSync(join(root, 'project'), join(root, 'alias'))
    for (const path of ['project/node_modules/.bin', 'alias/node_modules/.bin', 'project'])
      expect(look({ path: [path] })).toMatchObject({ found: false })
    expect(look({ path: ['project/node_modules/.bin'], cwd: 'project-b' })).toMatchObject({ found: true })
  })

  test('accepts a program below the home directory when that is the working directory', () => {
    const own = program('home/.local/bin/tool')
    expect(look({ path: ['home/.local/bin'], cwd: 'home' })).toMatchObject({ file: own })
    expect(look({ path: ['home/.local/bin'], cwd: '.' })).toMatchObject({ file: own })
  })

  test('resolves links, except to launchers that depend on their own name', () => {
    const script = program('lib/tool/cli.js', '#!/usr/bin/env python3\n')
    link('bin/tool', script)
    expect(look()).toEqual({ found: true, file: script, prefix: [] })
    const shim = program('shims/launcher', '\u007fELF')
    const named = link('volta/tool', shim)
    expect(look({ path: ['volta'] })).toEqual({ found: true, file: named, prefix: [] })
    const binary = program('versions/tool.exe', '\u007fELF')
    link('native/tool', binary)
    expect(look({ path: ['native'] })).toEqual({ found: true, file: binary, prefix: [] })
  })

  test('runs a Node script with the Node next to it, else the one in PATH, else our own', () => {
    const script = program('lib/cli.js', '#!/usr/bin/env -S node --no-warnings\n')
    link('bin/tool', script)
    expect(look()).toEqual({ found: true, file: process.execPath, prefix: [script] })
    program('other/node', '\u007fELF')
    expect(look({ path: ['bin', 'other'] })).toEqual({ found: true, file: script, prefix: [] })
    const beside = program('bin/node', '\u007fELF')
    expect(look({ path: ['other', 'bin'] })).toEqual({ found: true, file: beside, prefix: [script] })
  })
})
