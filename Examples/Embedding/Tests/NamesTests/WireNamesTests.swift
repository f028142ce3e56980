import Foundation
import Testing
import TrendyModels

@Suite("Names of the wire")
struct WireNamesTests {
  private let date = Date(timeIntervalSince1970: 1_704_067_200)

  @Test func `the JSON coder has the documented names`() throws {
    let value = ChangeEntryData(rawData: ["a": 1])
    let data: Data = try WireJSON.encode(value)
    #expect(try WireJSON.decode(ChangeEntryData.self, from: data) == value)
    #expect(try JSONDecoder().decode(ChangeEntryData.self, from: JSONEncoder().encode(value)) == value)
  }

  @Test func `update requests have the documented names`() {
    var update = UpdateEventRequest()
    #expect(update.notes == .absent && update.endDate == .absent && update.externalId == .absent)
    #expect(update.originalTitle == .absent && update.geofenceId == .absent && update.locationLatitude == .absent)
    #expect(update.locationLongitude == .absent && update.locationName == .absent)
    #expect(update.healthKitSampleId == .absent && update.healthKitCategory == .absent)
    #expect(update.properties == nil && update.eventTypeId == nil && update.timestamp == nil)
    update.notes = .null
    update.endDate = .value(date)
    update.properties = ["gone": nil, "set": APIPropertyValue(type: "text", value: "x")]
    let properties: [String: APIPropertyValue?]? = update.properties
    #expect(properties?.count == 2)
    var geofence = UpdateGeofenceRequest(name: "n")
    geofence.eventTypeEntryId = .null
    geofence.eventTypeExitId = .value("t")
    var definition = UpdatePropertyDefinitionRequest(label: "l")
    definition.options = .value(["a"])
    definition.defaultValue = .null
    #expect(UpdateEventTypeRequest(name: "n", color: nil, icon: nil).name == "n")
    let patch: Patch<String> = .value("x")
    switch patch {
    case .absent, .null: Issue.record("a value")
    case .value(let text): #expect(text == "x")
    }
  }

  @Test func `entities and create requests have the documented names`() {
    let event = APIEvent(id: "e", userId: "u", eventTypeId: "t", timestamp: date, healthKitSampleId: "h")
    let source: String = event.sourceType
    #expect(source == "manual" && event.healthKitSampleId == "h")
    let create = CreateEventRequest(id: "e", eventTypeId: "t", timestamp: date, notes: nil, sourceType: "trip")
    #expect(create.sourceType == "trip")
    let type = APIEventType(id: "t", userId: "u", name: "n", color: "#000000", icon: "circle")
    #expect(CreateEventTypeRequest(id: "t", name: "n", color: type.color, icon: type.icon).id == "t")
    #expect(
      APIGeofence(id: "g", userId: "u", name: "n", latitude: 1, longitude: 2, radius: 100).radius
        == CreateGeofenceRequest(id: "g", name: "n", latitude: 1, longitude: 2, radius: 100).radius)
    let definition = APIPropertyDefinition(
      id: "p", eventTypeId: "t", userId: "u", key: "k", label: "l", propertyType: "hologram")
    let propertyType: String = definition.propertyType
    #expect(
      CreatePropertyDefinitionRequest(
        id: "p", eventTypeId: "t", key: "k", label: "l", propertyType: propertyType, options: nil, defaultValue: nil,
        displayOrder: 0
      ).propertyType == "hologram")
  }

  @Test func `the feed and the batch have the documented names`() {
    let entry = ChangeEntry(id: Int64(1), entityType: "event", operation: "delete", entityId: "e")
    let kinds: [String] = [entry.entityType, entry.operation]
    let version: Int64 = entry.id
    #expect(kinds == ["event", "delete"] && version == 1 && entry.data == nil && entry.deletedAt == nil)
    let page = ChangeFeedResponse(changes: [entry], nextCursor: 1, hasMore: false)
    let cursor: Int64 = page.nextCursor
    #expect(cursor == 1 && !page.hasMore && page.changes.count == 1)
    let response = BatchCreateEventsResponse(
      created: [], errors: [BatchError(index: 0, message: "m")], total: 1, success: 0, failed: 1)
    #expect(response.errors?.first?.index == 0)
    #expect(BatchCreateEventsResponse(created: [], errors: nil, total: 0, success: 0, failed: 0).errors == nil)
  }

  @Test func `an API error has the documented names`() {
    let problem = ProblemDetails(status: 429)
    #expect(
      problem
        == ProblemDetails(
          type: "about:blank", title: "", status: 429, detail: nil, instance: nil, requestId: nil))
    let error = APIError.problem(problem, retryAfter: .seconds(5))
    let status: Int? = error.statusCode
    let wait: Duration? = error.retryAfter
    #expect(status == 429 && wait == .seconds(5) && error.isTransient && !error.isDuplicateError)
    #expect(Set([error, .decodingError("x"), .networkError("x")]).count == 3)
    #expect(
      APIError.problem(ProblemDetails(type: "urn:trendy:error:duplicate", status: 409), retryAfter: nil)
        .isDuplicateError)
  }

  @Test func `sync values have the documented names`() {
    let outcomes: [MutationOutcome] = [
      .accepted(version: nil), .accepted(version: Int64(1)), .merged(version: 2), .refused(ProblemDetails(status: 422)),
      .tryLater(retryAfter: nil), .tryLater(retryAfter: .seconds(1)),
    ]
    #expect(Set(outcomes).count == 6)
    let snapshot = Snapshot(cursor: 1, eventTypes: [], events: [], geofences: [], propertyDefinitions: [])
    #expect(snapshot.cursor == 1)
  }
}
