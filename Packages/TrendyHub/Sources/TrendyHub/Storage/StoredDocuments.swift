import Foundation
public import TrendyModels

// JSON documents that storages save, and values that they index.

extension JSONValue {
  /// A version, sequence number or count, clamped to `SyncRange.counter` so later additions cannot overflow.
  package var storedCounter: Int64? { intValue?.clamped(to: SyncRange.counter) }
}

extension HubState {
  /// JSON representation of the state, as saved by storages.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "head": .int(head), "epochs": .array(epochs.map { ["id": .string($0.id), "first": .int($0.first)] }),
      "horizon": .int(horizon), "content_bytes": .int(contentBytes),
      "sums": .object(sums.mapValues { ["count": .int($0.count), "hash": .string($0.hexadecimal)] }),
    ]
    members["quota_rows"] = quota.rows.map { .int($0) }
    members["quota_bytes"] = quota.bytes.map { .int($0) }
    return .object(members)
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let head = members["head"]?.storedCounter,
      let epochs = members["epochs"]?.arrayValue, let horizon = members["horizon"]?.storedCounter,
      let kinds = members["sums"]?.objectValue, let contentBytes = members["content_bytes"]?.storedCounter
    else { return nil }
    self.init(
      head: head, horizon: horizon,
      quota: HubQuota(rows: members["quota_rows"]?.intValue, bytes: members["quota_bytes"]?.intValue),
      contentBytes: contentBytes)
    for epoch in epochs {
      guard let id = epoch.objectValue?["id"]?.stringValue, let first = epoch.objectValue?["first"]?.storedCounter
      else {
        return nil
      }
      self.epochs.append(HubEpoch(id: id, first: first))
    }
    for (kind, sum) in kinds {
      guard let count = sum.objectValue?["count"]?.storedCounter, let text = sum.objectValue?["hash"]?.stringValue,
        let sum = KindSum(count: count, hexadecimal: text)
      else { return nil }
      sums[kind] = sum
    }
  }
}

extension HubEntry {
  /// Referenced entities with the names of the referring fields, for storages that index references.
  public var references: [(field: String, kind: String, id: String)] {
    (SyncedKind.named(kind)?.fields ?? []).compactMap { field in
      guard let reference = field.refersTo, let id = fields[field.name]?.value.stringValue else { return nil }
      return (field.name, reference.kind, id)
    }
  }

  /// Timestamp by which lists sort the entity, in milliseconds since 1970.
  public var listMoment: Int64 {
    let order = SyncedKind.named(kind)?.listOrder
    guard let text = order.flatMap({ fields[$0]?.value.stringValue }) else { return createdAt.milliseconds }
    if let date = RFC3339.date(from: text) { return date.milliseconds }
    return CivilDate(text).map { Int64($0.daysSince1970) * 86_400_000 } ?? createdAt.milliseconds
  }
}

extension StoredOutcome {
  /// JSON representation of the outcome, as saved by storages.
  public var stored: JSONValue {
    var members: [String: JSONValue] = ["digest": .string(digest)]
    switch verdict.outcome {
    case .accepted(let version):
      members["status"] = "accepted"
      members["version"] = version.map { .int($0) }
    case .merged(let version):
      members["status"] = "merged"
      members["version"] = version.map { .int($0) }
      members["lost"] = .array(verdict.lost.map { .string($0) })
    case .refused(let problem):
      members["status"] = "refused"
      members["kind"] = .string(problem.kind)
      members["http"] = .int(Int64(problem.status))
      members["title"] = .string(problem.title)
      members["detail"] = .string(problem.detail ?? "")
    case .tryLater: preconditionFailure("the outcome try_later must not be stored")
    }
    return .object(members)
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let digest = members["digest"]?.stringValue else { return nil }
    switch members["status"]?.stringValue {
    case "accepted":
      guard let version = members["version"]?.storedCounter else { return nil }
      self.init(digest: digest, verdict: .accepted(version: version))
    case "merged":
      guard let version = members["version"]?.storedCounter, let lost = members["lost"]?.arrayValue else { return nil }
      self.init(digest: digest, verdict: .merged(version: version, lost: lost.compactMap(\.stringValue)))
    case "refused":
      guard let kind = members["kind"]?.stringValue, let status = members["http"]?.intValue,
        let title = members["title"]?.stringValue, let detail = members["detail"]?.stringValue
      else { return nil }
      self.init(
        digest: digest, verdict: .refused(Problem(kind, status: Int(status), title: title, detail: detail)))
    default: return nil
    }
  }
}
