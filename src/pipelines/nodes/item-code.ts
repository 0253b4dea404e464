import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import type { ReviewItem } from '../review-object.js'

/** Lines of code shown before and after the line of an item. */
const AROUND = 5

/** The code that an item refers to; empty if that line does not exist. */
export function codeAt(cwd: string, { file, line }: Pick<ReviewItem, 'file' | 'line'>, around = 0): string {
  if (file === '' || line === null) return ''
  const path = resolve(cwd, file)
  const inside = relative(cwd, path)
  if (inside.startsWith('..') || isAbsolute(inside) || !existsSync(path)) return ''
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(Math.max(0, line - 1 - around), line + around).join('\n')
}

export function codeAround(cwd: string, item: Pick<ReviewItem, 'file' | 'line'>): string {
  return codeAt(cwd, item, AROUND)
}
