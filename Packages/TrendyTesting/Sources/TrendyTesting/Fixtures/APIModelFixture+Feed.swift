public import TrendyFoundation
public import TrendyModels

extension APIModelFixture {
  // MARK: Feed

  /// Creates a feed page.
  public static func makeChangeFeedResponse(changes: [ChangeEntry] = [], nextCursor: Int64 = 0, hasMore: Bool = false)
    -> ChangeFeedResponse
  {
    ChangeFeedResponse(changes: changes, nextCursor: nextCursor, hasMore: hasMore)
  }

  /// Creates a feed entry as a hub would send it.
  ///
  /// `data` is the complete entity. For a create or update it defaults to the fixture of the kind, or to the id alone
  /// for an unknown kind, and `entityId` is added to data without an `id`. The data of a delete is used as given.
  public static func makeChangeEntry(
    id: Int64 = 1, entityType: String = "event", operation: String = "create", entityId: String = "entity-1",
    data: ChangeEntryData? = nil, deletedAt: Date? = nil
  ) -> ChangeEntry {
    var data = data
    if operation != MutationOperation.delete.rawValue {
      var members = data?.rawData ?? defaultMembers(ofKind: entityType)
      if members["id"] == nil { members["id"] = .string(entityId) }
      data = ChangeEntryData(rawData: members)
    }
    return ChangeEntry(
      id: id, entityType: entityType, operation: operation, entityId: entityId, data: data, deletedAt: deletedAt,
      createdAt: date)
  }

  /// Creates the fields of an event except its id.
  public static func makeChangeEntryData(
    timestamp: Date = DeterministicDate.jan1_2024, eventTypeId: String = "type-1"
  ) -> ChangeEntryData {
    ChangeEntryData(rawData: [
      "user_id": "user-1", "event_type_id": .string(eventTypeId), "timestamp": .string(RFC3339.string(from: timestamp)),
      "notes": "Test event", "is_all_day": false, "source_type": "manual", "created_at": dateText,
      "updated_at": dateText,
    ])
  }

  /// Creates a feed entry written before its entity was deleted. A device that deleted the entity must not restore the
  /// entity when this entry arrives.
  public static func makeResurrectingChangeEntry(
    id: Int64 = 1, entityId: String, entityType: String = "event", timestamp: Date = DeterministicDate.jan1_2024
  ) -> ChangeEntry {
    var entry = makeChangeEntry(
      id: id, entityType: entityType, operation: MutationOperation.create.rawValue, entityId: entityId,
      data: entityType == MutationEntityType.event.rawValue ? makeChangeEntryData(timestamp: timestamp) : nil)
    entry.createdAt = timestamp
    return entry
  }

  // MARK: Batches

  /// Creates a batch response. Counts that are `nil` are computed from the lists.
  public static func makeBatchCreateEventsResponse(
    created: [APIEvent] = [], errors: [BatchError]? = nil, total: Int? = nil, success: Int? = nil, failed: Int? = nil
  ) -> BatchCreateEventsResponse {
    let failures = errors?.count ?? 0
    return BatchCreateEventsResponse(
      created: created, errors: errors, total: total ?? created.count + failures, success: success ?? created.count,
      failed: failed ?? failures)
  }

  /// Creates the error for one event in a batch.
  public static func makeBatchError(index: Int = 0, message: String = "Validation failed") -> BatchError {
    BatchError(index: index, message: message)
  }
}

extension APIModelFixture {
  private static var dateText: JSONValue { .string(RFC3339.string(from: date)) }

  private static func defaultMembers(ofKind kind: String) -> [String: JSONValue] {
    switch MutationEntityType(rawValue: kind) {
    case .event: makeChangeEntryData().rawData
    case .eventType:
      [
        "user_id": "user-1", "name": "Workout", "color": "#FF5733", "icon": "figure.run", "created_at": dateText,
        "updated_at": dateText,
      ]
    case .geofence:
      [
        "user_id": "user-1", "name": "Home", "latitude": 37.7749, "longitude": -122.4194, "radius": 100,
        "is_active": true, "notify_on_entry": true, "notify_on_exit": false, "created_at": dateText,
        "updated_at": dateText,
      ]
    case .propertyDefinition:
      [
        "event_type_id": "type-1", "user_id": "user-1", "key": "duration", "label": "Duration",
        "property_type": "number", "display_order": 0, "created_at": dateText, "updated_at": dateText,
      ]
    default: [:]
    }
  }
}
