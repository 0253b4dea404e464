import { SignalboxError } from '../../errors/index.js'
import type { FixtureSpec } from './pack.js'
import { fixtureFileSchema, type PackFile } from './pack-schema.js'
import { mergeSources, type PackSource } from './pack-source.js'

/** @throws SignalboxError `E_PACK` with file, line and field. */
export function parseFixtureFile(source: PackSource): FixtureSpec[] {
  const merged = mergeSources([source])
  const parsed = fixtureFileSchema.safeParse(merged.data)
  if (parsed.success) return toFixtures(parsed.data.fixture)
  const issue = parsed.error.issues[0]!
  throw new SignalboxError('E_PACK', `${issue.path.join('.') || 'the file'}: ${issue.message}`, {
    place: merged.placeOf(issue.path.map(part => (typeof part === 'number' ? part : String(part)))),
  })
}

/** TOML has no null: `awaiting = "none"` says that nothing is asked. */
export function toFixtures(fixtures: PackFile['fixtures']): FixtureSpec[] {
  return fixtures.map(({ cast, at, version, expect: { view, accept, busy, awaiting, options }, known }) => ({
    cast,
    at,
    ...(version !== undefined && { version }),
    expect: {
      ...(view !== undefined && { view }),
      accept,
      ...(busy !== undefined && { busy }),
      ...(awaiting !== undefined && { awaiting: awaiting === 'none' ? null : awaiting }),
      ...(options !== undefined && { options }),
    },
    ...(known !== undefined && { known }),
  }))
}
