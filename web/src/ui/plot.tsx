import { useEffect, useRef, useState } from 'preact/hooks'

export interface Series {
  name: string
  values: number[]
}

interface PlotProps {
  label: string
  days: readonly string[]
  series: readonly Series[]
  format(value: number): string
  /** A horizontal line that marks a limit. */
  limit?: Limit | null
}

interface Limit {
  name: string
  value: number
}

const COLOURS = ['--done-icon', '--active-icon', '--warning-icon', '--danger-icon', '--ink-3', '--accent']

/** A plot that can be switched to a table with the exact values. */
export function Plot({ label, days, series, format, limit = null }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isTable, setTable] = useState(false)
  useEffect(() => {
    if (isTable || !box.current) return
    let isDisposed = false
    let dispose: () => void = () => undefined
    void import('./uplot').then(({ drawBars }) => {
      if (!isDisposed && box.current)
        dispose = drawBars(box.current, { days, series, format, colours: COLOURS, limit: limit?.value ?? null })
    })
    return () => {
      isDisposed = true
      dispose()
    }
  }, [days, series, format, isTable, limit?.value])
  const spent = days.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  return (
    <div class="plot">
      <div class="row wrap plot-legend">
        {series.slice(0, COLOURS.length).map((one, index) => (
          <span key={one.name} class="row tiny">
            <i style={{ background: `var(${COLOURS[index]})` }} /> {one.name}
          </span>
        ))}
        {limit && (
          <span class="row tiny">
            <i class="limit" /> {limit.name}, {format(limit.value)}
          </span>
        )}
        <button
          type="button"
          class="btn quiet"
          style={{ marginLeft: 'auto' }}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Plot' : 'Table'}
        </button>
      </div>
      {isTable ? (
        <div
          class="node-table"
          tabIndex={0}
          role="region"
          aria-label={`${label} as a table`}
          style={{ maxHeight: '240px' }}
        >
          <table class="data">
            <thead>
              <tr>
                <th>Day</th>
                {series.map(({ name }) => (
                  <th key={name} class="right">
                    {name}
                  </th>
                ))}
                {limit && <th class="right">{limit.name}</th>}
              </tr>
            </thead>
            <tbody>
              {days.map((day, at) => (
                <tr key={day}>
                  <td>{day}</td>
                  {series.map(({ name, values }) => (
                    <td key={name} class="right">
                      {format(values[at] ?? 0)}
                    </td>
                  ))}
                  {limit && (
                    <td class="right">
                      {format(limit.value)}
                      {spent[at]! > limit.value && <b class="over"> exceeded</b>}
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <div class="plot-box" ref={box} role="img" aria-label={`${label}; the table has the same values`} />
      )}
    </div>
  )
}
