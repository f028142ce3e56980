import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Text, rows and JSON of skipped days.
struct SkipText {
  private let local: LocalTime
  private let year: Int
  private let types: [String: EventType]

  init(_ session: Session, types: [EventType]) {
    local = session.local
    year = local.components(of: session.now).year
    self.types = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// `run  Mon 16 Nov to Fri 20 Nov  "flu"`.
  func line(_ skip: Skip) -> StyledText {
    let (first, last) = (skip.days.lowerBound, lastDay(of: skip))
    let days = [first, last].map { local.day($0, year: year) }
    let type = types[skip.eventTypeId]
    return StyledText(
      [
        StyledText.Part(type?.name ?? ShortID.of(skip.eventTypeId), .name(color: type?.colorHex)),
        StyledText.Part(days[0] == days[1] ? days[0] : "\(days[0]) to \(days[1])"),
      ] + [skip.note.map { StyledText.Part("\"\($0)\"", .dim, rank: .note) }].compactMap(\.self))
  }

  func plain(_ skip: Skip) -> [String] {
    [
      skip.id, types[skip.eventTypeId]?.name ?? "", date(skip.days.lowerBound), date(lastDay(of: skip)),
      skip.note ?? "",
    ]
  }

  func json(_ skip: Skip) -> JSONText {
    .object([
      ("id", .string(skip.id)),
      (
        "event_type",
        .object([("id", .string(skip.eventTypeId)), ("name", .string(types[skip.eventTypeId]?.name))])
      ),
      ("first_day", .string(date(skip.days.lowerBound))), ("last_day", .string(date(lastDay(of: skip)))),
      ("note", .string(skip.note)),
    ])
  }

  private func lastDay(of skip: Skip) -> Date { skip.days.upperBound.addingTimeInterval(-1) }

  /// `2026-11-20`.
  private func date(_ date: Date) -> String { String(local.rfc3339(date).prefix(10)) }
}
