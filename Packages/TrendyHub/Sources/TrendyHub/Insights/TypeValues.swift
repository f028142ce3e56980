import TrendyInsights
import TrendyModels

/// Values of a type's properties in its most recent events.
struct TypeValues {
  private(set) var events = 0
  /// Properties that have values, in the order of their definitions.
  let shares: [Share]

  struct Share {
    let label: String
    let of: PropertyShares
  }

  private static let most = 3000
  private static let part = 30

  /// Reads the values from the `span` days that end with `today`.
  init(_ reading: any HubReadTransaction, of type: String, local: LocalTime, through today: CivilDate, span: Int) throws
  {
    let definitions = try HubUserRecord(reading).propertyDefinitions().filter { $0.eventTypeId == type }.inOrder
    guard !definitions.isEmpty else {
      shares = []
      return
    }
    let keys = Set(definitions.map(\.key))
    var values: [String: [PropertyValue]] = [:]
    let earliest = try reading.firstLiving(kind: SyncedKind.event.name)?.listMoment ?? .max
    let first = max(local.start(of: today.advanced(by: 1 - span)).milliseconds, earliest)
    var end = local.start(of: today.advanced(by: 1)).milliseconds
    var events = 0
    while end > first, events < Self.most {
      let start = max(first, end - Int64(Self.part) * 86_400_000)
      try reading.eachEvent(during: start..<end) { event, entry in
        guard event.eventTypeId == type else { return }
        events += 1
        let fields = try entry().fields
        for key in keys {
          if let value = fields["properties.\(key)"]?.value.propertyValue { values[key, default: []].append(value) }
        }
      }
      end = start
    }
    self.events = events
    shares = definitions.compactMap { definition in
      PropertyShares(values[definition.key] ?? [], key: definition.key, type: definition.propertyType)
        .map { Share(label: definition.label, of: $0) }
    }
  }
}

extension TypeValues.Share {
  var json: JSONValue {
    [
      "key": .string(of.key), "label": .string(label), "property_type": .string(of.type.rawValue),
      "events": .int(Int64(of.events)), "others": .int(Int64(of.others)),
      "parts": .array(
        of.parts.map { part in
          [
            "value": part.value, "end": part.end.map { .double($0) } ?? .null, "events": .int(Int64(part.events)),
            "share": .double(Double(part.events) / Double(of.events)),
          ]
        }),
      "distribution": of.distribution.map {
        [
          "minimum": .double($0.minimum), "lower": .double($0.lowerQuartile), "median": .double($0.median),
          "upper": .double($0.upperQuartile), "maximum": .double($0.maximum), "mean": .double($0.mean),
        ]
      } ?? .null,
    ]
  }
}

extension JSONValue {
  /// Value of a property in an event, or `nil` if its kind is unknown to this version.
  var propertyValue: PropertyValue? {
    guard let members = objectValue, let value = members["value"],
      let type = members["type"]?.stringValue.flatMap({ PropertyType(rawValue: $0) })
    else { return nil }
    return PropertyValue(type: type, value: value)
  }
}
