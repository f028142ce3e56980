import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyProtocols

struct OneEventType {
  let type: EventType
  let definitions: [PropertyDefinition]
  let count: Int

  init(_ type: EventType, in store: any DataStoreProtocol) throws {
    self.type = type
    definitions = try store.definitions(of: type)
    // The store's day index provides the count without decoding events.
    count = try store.eventCountsByDay(in: nil, ofType: type.id, timeZone: .gmt).values.reduce(0, +)
  }

  func show(_ session: Session, isDetailed: Bool = false) -> ExitCode {
    switch session.console.format {
    case .json, .ndjson:
      session.console.document("trendy.event_type/1", [("event_type", EventTypeText.json(type, definitions))])
    case .plain: session.console.row(EventTypeText.plain(type))
    case .text where isDetailed:
      session.console.text(line)
      for line in lines { session.console.text(line) }
    case .text: session.console.done(line)
    }
    return .done
  }

  private var line: StyledText {
    StyledText(
      [
        StyledText.Part(EventTypeText.heading(of: type), .name(color: type.colorHex)),
        StyledText.Part(type.colorHex, .dim), EventTypeText.goal(of: type).map { StyledText.Part($0) },
        StyledText.Part("\(Quantity(count, "event"))"), StyledText.Part(ShortID.of(type.id), .dim, rank: .id),
      ].compactMap(\.self))
  }

  private var lines: [StyledText] {
    let width = definitions.map(\.key.columns).max() ?? 0
    return definitions.map { definition in
      var parts = [
        StyledText.Part("  \(definition.key.padded(to: width))"), StyledText.Part(definition.propertyType.rawValue),
      ]
      if !definition.options.isEmpty {
        parts.append(StyledText.Part("(\(definition.options.joined(separator: ", ")))"))
      }
      if let value = definition.defaultValue {
        parts.append(StyledText.Part("default \(Property.text(value))"))
      }
      if definition.label != definition.key { parts.append(StyledText.Part(definition.label, .dim, rank: .note)) }
      return StyledText(parts)
    }
  }
}
