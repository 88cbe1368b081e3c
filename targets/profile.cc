// SPDX-License-Identifier: Apache-2.0

#include "targets/profile.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace onnx_legalize {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

// Reads members of objects; the first one that is amiss is remembered, since
// nlohmann's own checks throw.
class ProfileParser {
 public:
  explicit ProfileParser(absl::string_view where) : where_(where) {}

  absl::StatusOr<std::shared_ptr<const Profile>> Parse(const Json& json) {
    auto profile = std::make_shared<Profile>();
    if (!json.is_object()) return Fault("is no JSON object");
    if (Int(json, "schema") != kSchema) {
      return Fault(absl::StrCat("is not of schema ", kSchema,
                                "; measure it again with python -m "
                                "onnx_legalize.probe"));
    }
    profile->name = Text(json, "name");
    profile->ir_version = Int(json, "ir_version");
    profile->functions = json.contains("functions") &&
                         json["functions"].is_boolean() &&
                         json["functions"].get<bool>();
    profile->opsets = Opsets(json, "opsets");
    profile->accepted_opsets = json.contains("accepted_opsets")
                                   ? Opsets(json, "accepted_opsets")
                                   : profile->opsets;
    if (profile->opsets.count("") == 0) Remember("opsets: no 'ai.onnx'");
    for (const auto& [name, versions] : Member(json, "operators").items()) {
      ReadOperator(versions, &profile->operators[name]);
    }
    for (const auto& item : Member(json, "constraints")) {
      ReadConstraint(item, *profile);
    }
    if (!fault_.empty()) return Fault(fault_);
    return std::shared_ptr<const Profile>(std::move(profile));
  }

 private:
  absl::Status Fault(absl::string_view text) const {
    return absl::InvalidArgumentError(
        absl::StrCat(where_, ": not a target profile: ", text));
  }
  void Remember(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }
  const Json& Member(const Json& json, const char* key) {
    static const Json* const empty = new Json(Json::object());
    auto it = json.find(key);
    if (it == json.end() || !it->is_structured()) {
      Remember(absl::StrCat("no list '", key, "'"));
      return *empty;
    }
    return *it;
  }
  int64_t Int(const Json& json, const char* key) {
    auto it = json.find(key);
    if (it == json.end() || !it->is_number_integer()) {
      Remember(absl::StrCat("no integer '", key, "'"));
      return 0;
    }
    return it->get<int64_t>();
  }
  std::string Text(const Json& json, const char* key) {
    auto it = json.find(key);
    if (it == json.end() || !it->is_string()) {
      Remember(absl::StrCat("no text '", key, "'"));
      return "";
    }
    return it->get<std::string>();
  }

  absl::flat_hash_map<std::string, int> Opsets(const Json& json,
                                               const char* key) {
    absl::flat_hash_map<std::string, int> opsets;
    for (const auto& [domain, version] : Member(json, key).items()) {
      if (!version.is_number_integer()) {
        Remember(absl::StrCat(key, ": no integer"));
        continue;
      }
      opsets[domain == "ai.onnx" ? "" : domain] = version.get<int>();
    }
    return opsets;
  }

  void ReadOperator(const Json& versions, OperatorProfile* op) {
    for (const auto& [key, products] : versions.items()) {
      const int version = std::atoi(key.c_str());
      if (version <= 0 || !products.is_array()) {
        Remember(absl::StrCat("operator version '", key, "'"));
        continue;
      }
      std::vector<TypeProduct>& list = op->versions[version];
      for (const Json& item : products) {
        TypeProduct& product = list.emplace_back();
        for (const auto& [variable, types] : item.items()) {
          for (const Json& type : types) {
            if (!type.is_string()) continue;
            std::string name = type.get<std::string>();
            const bool dense = !absl::StrContains(name, '(');
            product[variable].push_back(
                dense ? absl::StrCat("tensor(", name, ")") : std::move(name));
          }
        }
      }
    }
  }

  void ReadConstraint(const Json& item, Profile& profile) {
    if (!item.is_object()) return Remember("a constraint is no object");
    Constraint constraint;
    const std::string op = Text(item, "operator");
    constraint.name = Text(item, "name");
    constraint.result = Text(item, "result");
    if (item.contains("message") && item["message"].is_string()) {
      constraint.message = item["message"].get<std::string>();
    }
    constraint.when = Member(item, "when");
    for (const Json& version : Member(item, "versions")) {
      if (version.is_number_integer()) {
        constraint.versions.push_back(version.get<int>());
      }
    }
    profile.operators[op].constraints.push_back(std::move(constraint));
  }

  absl::string_view where_;
  std::string fault_;
};

}  // namespace

const OperatorProfile* Profile::Find(absl::string_view domain,
                                     absl::string_view op_type) const {
  auto it = operators.find(domain.empty() ? std::string(op_type)
                                          : absl::StrCat(domain, ":", op_type));
  return it == operators.end() ? nullptr : &it->second;
}

absl::StatusOr<std::shared_ptr<const Profile>> ParseProfile(
    absl::string_view json, absl::string_view where) {
  const Json parsed = Json::parse(json.begin(), json.end(), nullptr,
                                  /*allow_exceptions=*/false);
  return ProfileParser(where).Parse(parsed);
}

}  // namespace onnx_legalize
