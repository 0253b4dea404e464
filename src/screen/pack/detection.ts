import { SignalboxError } from '../../errors/index.js'
import { type PackSource, readTable } from './pack-source.js'
import { compilePattern } from './pattern.js'
import { parseRange, type VersionRange } from './versions.js'

/** How to recognise a running agent without its whole pack. */
export interface Detection {
  agent: string
  argv0: string[]
  banner: RegExp | null
  title: RegExp | null
}

/** The `detect` table of a pack file; null without one. Loading reports its mistakes. */
export function readDetection(source: PackSource, agent: string): Detection | null {
  const { detect, glyphs } = readTable(source) as {
    detect?: { argv0?: string[]; banner?: string; title?: string }
    glyphs?: Record<string, string>
  }
  if (!detect) return null
  const compile = (pattern: string | undefined) =>
    pattern === undefined ? null : compilePattern(pattern, glyphs ?? {})
  return { agent, argv0: detect.argv0 ?? [], banner: compile(detect.banner), title: compile(detect.title) }
}

export function readRange(source: PackSource): VersionRange {
  const { versions = '*' } = readTable(source)
  try {
    return parseRange(String(versions))
  } catch (error) {
    throw new SignalboxError('E_PACK', `versions: ${(error as Error).message}`, { place: { file: source.file } })
  }
}
