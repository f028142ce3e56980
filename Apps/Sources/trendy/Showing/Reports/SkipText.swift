import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

struct SkipText {
  private let today: CivilDate
  private let types: [String: EventType]

  init(_ session: Session, types: [EventType]) {
    today = session.local.day(of: session.now)
    self.types = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns a line such as `run  Mon 16 Nov to Fri 20 Nov  "flu"`.
  func line(_ skip: Skip) -> StyledText {
    let type = types[skip.eventTypeId]
    return StyledText(
      [
        StyledText.Part(type?.name ?? ShortID.of(skip.eventTypeId), .name(color: type?.colorHex)),
        StyledText.Part(skip.days.words(near: today)),
      ] + [skip.note.map { StyledText.Part("\"\($0)\"", .dim, rank: .note) }].compactMap(\.self))
  }

  func plain(_ skip: Skip) -> [String] {
    [
      skip.id, types[skip.eventTypeId]?.name ?? "", "\(skip.days.lowerBound)", "\(skip.days.upperBound)",
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
      ("first_day", .string("\(skip.days.lowerBound)")), ("last_day", .string("\(skip.days.upperBound)")),
      ("note", .string(skip.note)),
    ])
  }
}
