/// Suggestions for mistyped words.
public enum Suggestion: Sendable {
  /// Returns the most similar candidate, or `nil` if none is similar enough.
  ///
  /// Similarity is Damerau-Levenshtein distance, ignoring case. A candidate may differ by one edit per three
  /// characters, and always by at least one.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let lowered = Array(word.lowercased())
    let limit = max(1, lowered.count / 3)
    return
      candidates
      .map { (distance: distance(lowered, Array($0.lowercased())), name: $0) }
      .filter { $0.distance <= limit }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }

  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { best = min(best, beforeLast[j - 1] + 1) }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[right.count]
  }
}
