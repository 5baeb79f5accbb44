# SPDX-License-Identifier: GPL-3.0-or-later
# Drover. `make help` lists the targets. Outputs go under $(O), nothing else is
# written. Each room (folder) becomes one archive; which rooms a room may use is
# said once, in DEPS_*, and `make lint` checks the #include lines against it.

O       ?= build
# one name for the same folder, since dependency files name their objects by it
override O := $(patsubst $(CURDIR)/%,%,$(abspath $(O)))
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
ifeq ($(origin CC),default)
CC      := cc
endif
Q       := $(if $(V),,@)
say      = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# --- rooms -------------------------------------------------------------------
ROOMS := base configs db jobs analysis report runners web-static daemon cli
DEPS_base       :=
DEPS_configs    := base
DEPS_db         := base
DEPS_jobs       := configs base
DEPS_analysis   := base
DEPS_report     := analysis base
DEPS_runners    := jobs configs base
DEPS_web-static := report analysis db base
DEPS_daemon     := web-static runners report analysis jobs db configs base
DEPS_cli        := report analysis jobs db configs base

# Programs: PROGRAM = the file with its main(). The rest of a room is archive.
PROGRAMS := drover droverd libexec/drover-build libexec/drover-run \
	    libexec/drover-mail libexec/drover-pages libexec/drover-lab
MAIN_drover               := cli/main.c
MAIN_droverd              := daemon/main.c
MAIN_libexec/drover-build := runners/drover_build.c
MAIN_libexec/drover-run   := runners/drover_run.c
MAIN_libexec/drover-lab   := runners/drover_lab.c
MAIN_libexec/drover-mail  := daemon/drover_mail.c
MAIN_libexec/drover-pages := web-static/drover_pages.c
PROGRAMS := $(foreach p,$(PROGRAMS),$(if $(wildcard $(MAIN_$(p))),$(p)))
MAINS    := $(foreach p,$(PROGRAMS),$(MAIN_$(p)))

# Files that are compiled into a room: TABLE = the files (see tools/embed).
EMBED_db         := $(sort $(wildcard db/schema/*.sql))
EMBED_runners    := $(sort $(wildcard runners/box/*))
EMBED_web-static := $(sort $(wildcard web-static/assets/*))
EMBED_configs    := $(sort $(wildcard configs/embedded/*))

# --- flags -------------------------------------------------------------------
PKGS := jansson nettle yaml-0.1 sqlite3 gsl libuv gmime-3.0 libcurl libssh2 \
	libgit2 libzstd
ifneq ($(filter-out help clean demo deps,$(or $(MAKECMDGOALS),all)),)
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS))
PKG_LIBS   := $(shell pkg-config --libs $(PKGS))
endif
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wwrite-strings -Wvla -Wformat=2 -Wundef \
	-Wimplicit-fallthrough -fno-common $(if $(WERROR),-Werror)
CPPFLAGS += -D_GNU_SOURCE -I. -I$(O) $(patsubst -I%,-isystem %,$(PKG_CFLAGS)) \
	-DDROVER_VERSION='"$(shell cat VERSION)"' \
	-DDROVER_PREFIX='"$(PREFIX)"'
ifdef SAN
CFLAGS  ?= -O1 -g
CFLAGS  += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
LDFLAGS += -fsanitize=$(SAN)
else
CFLAGS  ?= -O2 -g
CFLAGS  += -fstack-protector-strong -fPIE
LDFLAGS += -pie -Wl,-z,relro,-z,now
CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
ifdef COV
CFLAGS  += --coverage
LDFLAGS += --coverage
endif
ALL_CFLAGS = -std=gnu11 $(CPPFLAGS) $(WARN) $(CFLAGS)
LDFLAGS += -Wl,--as-needed
LDLIBS  += $(PKG_LIBS) -lm

# --- objects -----------------------------------------------------------------
src_of  = $(filter-out $(MAINS),$(sort $(wildcard $(1)/*.c)))
obj_of  = $(patsubst %.c,$(O)/%.o,$(call src_of,$(1))) \
	  $(if $(EMBED_$(1)),$(O)/gen/$(1)_embed.o)
lib_of  = $(O)/lib$(1).a
libs_of = $(foreach r,$(1) $(DEPS_$(1)),$(call lib_of,$(r)))
room_of = $(firstword $(subst /, ,$(1)))

TESTS_UNIT := $(sort $(wildcard tests/unit/*/test_*.c))
TESTS_BIN  := $(patsubst %.c,$(O)/%,$(TESTS_UNIT))
TESTS_CLI  := $(sort $(wildcard tests/cli/*.sh) $(wildcard tests/flow/*.sh))
ALL_SRC := $(foreach r,$(ROOMS),$(sort $(wildcard $(r)/*.c)))
ALL_HDR := $(foreach r,$(ROOMS),$(sort $(wildcard $(r)/*.h)))

.DEFAULT_GOAL := all
.PHONY: all help demo deps test test-quick test-crash test-% check lint bench \
	bench-bisect bench-detect bench-lab san install clean docs codemap format
.SECONDARY:
.DELETE_ON_ERROR:

all: $(addprefix $(O)/,$(PROGRAMS)) ## build everything under build/

help: ## show this list
	@awk -F':.*## ' '/^[a-z%-]+:.*## /{printf "  %-14s %s\n",$$1,$$2}' Makefile
	@echo
	@echo '  variables: O=DIR  V=1  WERROR=1  SAN=address,undefined  COV=1'
	@echo '             DESTDIR=DIR  PREFIX=DIR'

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/gen/%.o: $(O)/gen/%.c
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

define ROOM_RULES
$(call lib_of,$(1)): $(call obj_of,$(1))
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^
$(if $(EMBED_$(1)),
$(O)/gen/$(1)_embed.c: tools/embed $(EMBED_$(1))
	@mkdir -p $$(@D)
	$$(call say,EMBED,$(1))
	$$(Q)sh tools/embed embed_$(subst -,_,$(1)) $(EMBED_$(1)) > $$@)
test-$(1): $(filter $(O)/tests/unit/$(1)/%,$(TESTS_BIN))
	$$(Q)sh tests/run -O $(O) $$^
endef
$(foreach r,$(ROOMS),$(eval $(call ROOM_RULES,$(r))))

define PROGRAM_RULES
$(O)/$(1): $(O)/$(MAIN_$(1):.c=.o) $(call libs_of,$(call room_of,$(MAIN_$(1))))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(LDFLAGS) $$(CFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach p,$(PROGRAMS),$(eval $(call PROGRAM_RULES,$(p))))

define UNIT_RULES
$(O)/tests/unit/$(1)/%: $(O)/tests/unit/$(1)/%.o $(call libs_of,$(1))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(LDFLAGS) $$(CFLAGS) -o $$@ $$^ -lcmocka $$(LDLIBS)
endef
$(foreach r,$(ROOMS),$(eval $(call UNIT_RULES,$(r))))

# --- tests -------------------------------------------------------------------
test: all $(TESTS_BIN) ## run all tests but the crash campaign (< 5 minutes)
	$(Q)sh tests/run -O $(O) $(TESTS_BIN) $(TESTS_CLI)

test-quick: all $(TESTS_BIN) ## unit and command line tests only (< 3 minutes)
	$(Q)sh tests/run -O $(O) $(TESTS_BIN) $(filter tests/cli/%,$(TESTS_CLI))

test-crash: all ## kill -9 droverd at random points of a campaign
	$(Q)DROVER_BUILD='$(abspath $(O))' sh tests/crash/campaign.sh
	$(Q)DROVER_BUILD='$(abspath $(O))' sh tests/crash/bisect.sh

san: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(Q)$(MAKE) O=$(O)/san SAN=address,undefined test

check: lint test ## lint, then test

demo: ## install what is missing, build, run the main job in the virtual lab
	$(Q)sh tools/demo

deps: ## install the Debian packages that building and testing needs
	$(Q)sh tools/install-deps

BENCH := $(O)/tests/bench/first_commit
$(BENCH): $(O)/tests/bench/first_commit.o $(call libs_of,daemon)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $(CFLAGS) -o $@ $^ $(LDLIBS)

bench: all $(BENCH) ## speed against peers in the same run
	$(Q)DROVER_BUILD='$(abspath $(O))' sh tests/bench/run

bench-bisect: all ## bisection engine against simpler methods, as a table
	$(Q)DROVER_BUILD='$(abspath $(O))' sh tests/bench/bisect

DETECT := $(O)/tests/bench/detect
$(DETECT): $(O)/tests/bench/detect.o $(call libs_of,analysis)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $(CFLAGS) -o $@ $^ $(LDLIBS)

bench-detect: $(DETECT) ## false alarms, power, intervals, posterior, as tables
	$(Q)nice $(DETECT)

bench-lab: all ## planted regressions in the virtual lab
	$(Q)DROVER_BUILD='$(abspath $(O))' sh tests/bench/lab

# --- lint --------------------------------------------------------------------
TIDY   := $(patsubst %.c,$(O)/lint/%.tidy,$(ALL_SRC))
ALONE  := $(patsubst %.h,$(O)/lint/%.alone,$(ALL_HDR))
FORMAT := $(ALL_SRC) $(ALL_HDR) $(TESTS_UNIT) $(wildcard tests/unit/*.h)

lint: $(ALONE) $(TIDY) ## formatting, layers, clang-tidy, headers alone
	$(Q)clang-format --dry-run -Werror $(FORMAT)
	$(Q)sh tools/check-layers
	$(Q)sh tools/codemap --check

format: ## reformat all sources in place
	$(Q)clang-format -i $(FORMAT)

$(O)/lint/%.alone: %.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -MT $@ -MF $@.d -fsyntax-only \
		-x c -include $< /dev/null && touch $@

$(O)/lint/%.tidy: %.c .clang-tidy
	@mkdir -p $(@D)
	$(call say,TIDY,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MM -MP -MT $@ -MF $@.d $<
	$(Q)clang-tidy --quiet $< -- -std=gnu11 $(CPPFLAGS) $(WARN) \
		2>$@.log >$@.out || { cat $@.out $@.log; exit 1; }
	$(Q)touch $@

# --- documents, install ------------------------------------------------------
codemap: ## regenerate docs/CODEMAP.md from the file headers
	$(Q)sh tools/codemap

docs: codemap $(O)/drover ## regenerate everything that is generated
	$(Q)sh tools/gen-docs $(O)

install: all ## install under DESTDIR/PREFIX
	$(Q)sh tools/install-files '$(O)' '$(DESTDIR)' '$(PREFIX)'

clean: ## remove build outputs
	$(Q)rm -rf $(O)

-include $(shell test -d $(O) && find $(O) -name '*.d' 2>/dev/null)
