import { displayWidth } from './display-width.js'
import { graphemes } from './graphemes.js'

/** Shortens a text to at most `columns`, never inside a cluster, with `…` where text is missing. */
export function truncate(text: string, columns: number, options: { from?: 'end' | 'start' | 'middle' } = {}): string {
  if (displayWidth(text) <= columns) return text
  if (columns <= 0) return ''
  const room = columns - 1
  const clusters = [...graphemes(text)]
  const from = options.from ?? 'end'
  if (from === 'start') return `…${lastColumns(clusters, room)}`
  if (from === 'end') return `${firstColumns(clusters, room)}…`
  return `${firstColumns(clusters, Math.ceil(room / 2))}…${lastColumns(clusters, Math.floor(room / 2))}`
}

function firstColumns(clusters: readonly string[], columns: number): string {
  return fitting(clusters, columns).join('')
}

function lastColumns(clusters: readonly string[], columns: number): string {
  return fitting(clusters.toReversed(), columns).reverse().join('')
}

function fitting(clusters: readonly string[], columns: number): string[] {
  let width = 0
  const end = clusters.findIndex(cluster => {
    width += displayWidth(cluster)
    return width > columns
  })
  return end < 0 ? [...clusters] : clusters.slice(0, end)
}
